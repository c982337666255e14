import type { JsonObject } from '../src/apiserver/values/json.ts';
import { definition } from './apiserver-crd-corpus.ts';

/** The definition whose objects are judged; served as `samples.corpus.example.com/v1`. */
export const SAMPLE_DEFINITION: JsonObject = definition('samples', {
  version: {
    subresources: {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        required: ['spec'],
        properties: {
          spec: {
            type: 'object',
            required: ['size'],
            properties: {
              size: { type: 'string', default: 'M', enum: ['S', 'M', 'L'] },
              level: { type: 'integer', enum: [1, 2, 3] },
              replicas: { type: 'integer', format: 'int32', minimum: 0, maximum: 10 },
              big: {
                type: 'integer',
                format: 'int64',
                exclusiveMinimum: true,
                minimum: 3,
                exclusiveMaximum: true,
                maximum: 9,
              },
              ratio: { type: 'number', minimum: 0.5, maximum: 1.5, multipleOf: 0.25 },
              even: { type: 'integer', multipleOf: 2 },
              name: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 5 },
              short: { type: 'string', maxLength: 1 },
              list: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string' } },
              one: { type: 'array', maxItems: 1, items: { type: 'string' } },
              set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
              keyed: {
                type: 'array',
                'x-kubernetes-list-type': 'map',
                'x-kubernetes-list-map-keys': ['a', 'b'],
                items: {
                  type: 'object',
                  required: ['a'],
                  properties: { a: { type: 'string' }, b: { type: 'integer', default: 1 }, c: { type: 'string' } },
                },
              },
              single: {
                type: 'array',
                'x-kubernetes-list-type': 'map',
                'x-kubernetes-list-map-keys': ['a'],
                items: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
              },
              map: { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1, maxProperties: 2 },
              closed: { type: 'object', additionalProperties: false },
              open: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: { in: { type: 'object', properties: { a: { type: 'string' } } } },
              },
              nullable: { type: 'string', nullable: true },
              intOrString: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
              choice: {
                type: 'object',
                properties: { a: { type: 'string' }, b: { type: 'integer' } },
                oneOf: [{ required: ['a'] }, { required: ['b'] }],
              },
              all: { type: 'integer', allOf: [{ minimum: 3 }, { maximum: 5 }] },
              any: { type: 'integer', anyOf: [{ minimum: 10 }, { maximum: 5 }] },
              not: { type: 'integer', not: { enum: [7] } },
              embedded: {
                type: 'object',
                'x-kubernetes-embedded-resource': true,
                'x-kubernetes-preserve-unknown-fields': true,
              },
              flag: { type: 'boolean' },
              nested: {
                type: 'object',
                properties: {
                  deep: {
                    type: 'array',
                    items: { type: 'object', properties: { x: { type: 'string', default: 'y' } } },
                  },
                },
              },
              ...Object.fromEntries(
                [
                  'date-time',
                  'date',
                  'duration',
                  'email',
                  'ipv4',
                  'ipv6',
                  'cidr',
                  'mac',
                  'uri',
                  'uuid',
                  'hostname',
                  'byte',
                  'unknown',
                ].map((format) => [`f-${format}`, { type: 'string', format }]),
              ),
            },
          },
          status: {
            type: 'object',
            properties: {
              replicas: { type: 'integer' },
              selector: { type: 'string' },
              phase: { type: 'string', enum: ['Up'] },
            },
          },
        },
      },
    },
  },
});

const formats = (values: Record<string, string>): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([format, value]) => [`f-${format}`, value]));

/** The `spec` of each object, good and bad. */
export const SAMPLES: readonly (readonly [what: string, spec: JsonObject | null | string | JsonObject[]])[] = [
  ['nothing', {}],
  ['null', null],
  ['a list', [{}]],
  ['a text', 'x'],
  [
    'unknown fields',
    {
      foo: 1,
      nested: { deep: [{ x: 'a', y: 'b' }, {}], other: 1 },
      open: { any: { thing: 1 }, in: { a: 'b', c: 'd' } },
    },
  ],
  ['nulls', { size: null, name: null, nullable: null, list: [null], map: { a: null }, nested: { deep: null } }],
  [
    'wrong types',
    { size: 1, replicas: 'x', ratio: 'y', list: {}, map: [], flag: 'true', nullable: 3, nested: 'z', all: true },
  ],
  ['fractions', { replicas: 1.5, even: 2.5, ratio: 0.6 }],
  ['too small', { replicas: -1, big: 3, ratio: 0.25, name: 'a', list: [], map: {} }],
  [
    'too large',
    { replicas: 11, big: 9, ratio: 1.75, name: 'abcdef', list: ['a', 'b', 'c'], map: { a: 1, b: 2, c: 3 } },
  ],
  ['too large by one', { short: 'ab', one: ['a', 'b'] }],
  ['out of range', { replicas: 2147483648, even: 1e30 }],
  ['characters, not bytes', { name: 'äöü' }],
  ['not in an enum', { size: 'XL', level: 4 }],
  ['in an enum', { size: 'S', level: 2 }],
  ['not multiples', { even: 3, ratio: 0.7 }],
  ['a pattern', { name: 'ABC' }],
  ['sets', { set: ['a', 'b', 'a', 'a', 'b'] }],
  ['keys', { keyed: [{ a: 'x' }, { a: 'x', b: 2 }, { a: 'x', b: 1 }], single: [{ a: 'x' }, { a: 'y' }, { a: 'x' }] }],
  ['missing keys', { keyed: [{ b: 1 }, {}], single: [{}, {}] }],
  ['items of wrong types', { list: [1, 'a'], set: [{ a: 1 }], keyed: ['x', { a: 1 }] }],
  ['values of wrong types', { map: { a: 'x', 'b.c': true } }],
  ['a closed map', { closed: { a: 1 } }],
  ['no choice', { choice: {} }],
  ['both choices', { choice: { a: 'x', b: 1 } }],
  ['one choice', { choice: { b: 1 } }],
  ['all of', { all: 4, any: 3, not: 6 }],
  ['not all of', { all: 1, any: 7, not: 7 }],
  ['int or string', { intOrString: 5 }],
  ['neither int nor string', { intOrString: true }],
  ['neither int nor string: a fraction', { intOrString: 1.5 }],
  ['an embedded resource', { embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', foo: 1 }, spec: {} } }],
  [
    'a bad embedded resource',
    { embedded: { kind: 'My Pod', metadata: { name: '..', namespace: 'A', labels: { '#': '#' } } } },
  ],
  ['an embedded resource with wrong types', { embedded: { apiVersion: 1, kind: 'Pod' } }],
  [
    'an embedded resource with wrong metadata',
    { embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { a: 1 } } } },
  ],
  [
    'good formats',
    formats({
      'date-time': '2020-01-02T03:04:05.678Z',
      date: '2020-02-29',
      duration: '1h30m',
      email: 'a@example.com',
      ipv4: '1.2.3.4',
      ipv6: 'fd00::1',
      cidr: '10.0.0.0/8',
      mac: '01:23:45:67:89:ab',
      uri: 'https://example.com/x?y=z',
      uuid: '123e4567-e89b-12d3-a456-426614174000',
      hostname: 'www.example.com',
      byte: 'aGVsbG8=',
      unknown: 'anything',
    }),
  ],
  [
    'bad formats',
    formats({
      'date-time': '2020-01-02 03:04:05',
      date: '2020-02-30',
      duration: 'soon',
      email: 'nobody',
      ipv4: '1.2.3',
      ipv6: '1.2.3.4',
      cidr: '10.0.0.0',
      mac: '01:23',
      uri: 'example.com',
      uuid: 'x',
      hostname: '-x-',
      byte: '***',
    }),
  ],
  ['formats of wrong types', { 'f-date': 5, 'f-uuid': ['x'], 'f-ipv4': {} }],
];
