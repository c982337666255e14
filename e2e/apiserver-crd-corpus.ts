import type { JsonObject } from '../src/apiserver/json.ts';

/** Definitions and objects that are sent to the embedded server and to a real one, to see that they judge alike. */

const GROUP = 'corpus.example.com';

interface DefinitionParts {
  spec?: JsonObject;
  version?: JsonObject;
  names?: JsonObject;
  metadata?: JsonObject;
}

/** A sound definition but for the parts given. */
export function definition(plural: string, parts: DefinitionParts = {}): JsonObject {
  const kind = plural.charAt(0).toUpperCase() + plural.slice(1, -1);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}`, ...parts.metadata },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, kind, ...parts.names },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: OPEN }, ...parts.version }],
      ...parts.spec,
    },
  };
}

const OPEN: JsonObject = {
  type: 'object',
  properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
};

function withSchema(openAPIV3Schema: JsonObject, version: JsonObject = {}): DefinitionParts {
  return { version: { schema: { openAPIV3Schema }, ...version } };
}

function withSpec(spec: JsonObject, version: JsonObject = {}): DefinitionParts {
  return withSchema({ type: 'object', properties: { spec } }, version);
}

const v1: JsonObject = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: OPEN } };
const list: JsonObject = { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } };

/** Each is refused by the real server, or accepted with a warning. */
export const DEFINITIONS: readonly (readonly [what: string, crd: JsonObject])[] = [
  ['a name that does not fit', definition('wrongs', { metadata: { name: 'other.example.com' } })],
  ['no group', definition('things', { spec: { group: '' } })],
  ['a group without a dot', definition('things', { spec: { group: 'example' }, metadata: { name: 'things.example' } })],
  ['a group with odd characters', definition('things', { spec: { group: 'Ex_ample.com' } })],
  ['no scope', definition('things', { spec: { scope: '' } })],
  ['an odd scope', definition('things', { spec: { scope: 'World' } })],
  ['no versions', definition('things', { spec: { versions: [] } })],
  ['no storage version', definition('things', { version: { storage: false } })],
  ['two storage versions', definition('things', { spec: { versions: [v1, { ...v1, name: 'v2' }] } })],
  ['two versions of one name', definition('things', { spec: { versions: [v1, { ...v1, storage: false }] } })],
  ['an odd version name', definition('things', { version: { name: '1.0' } })],
  ['no kind', definition('things', { names: { kind: '' } })],
  ['an odd kind', definition('things', { names: { kind: 'My_Thing' } })],
  ['kind and listKind alike', definition('things', { names: { kind: 'Thing', listKind: 'Thing' } })],
  ['an odd plural', definition('Things', { metadata: { name: 'things.corpus.example.com' } })],
  ['odd short names', definition('things', { names: { shortNames: ['ok', 'Bad'], categories: ['All_of'] } })],
  ['no schema', definition('things', { version: { schema: {} } })],
  ['preserveUnknownFields', definition('things', { spec: { preserveUnknownFields: true } })],
  ['a protected group', definition('things', { spec: { group: 'x.k8s.io' }, metadata: { name: 'things.x.k8s.io' } })],
  [
    'a protected group, badly approved',
    definition('things', {
      spec: { group: 'x.k8s.io' },
      metadata: { name: 'things.x.k8s.io', annotations: { 'api-approved.kubernetes.io': 'yes' } },
    }),
  ],
  ['a warning without deprecation', definition('things', { version: { deprecationWarning: 'old' } })],
  ['an empty warning', definition('things', { version: { deprecated: true, deprecationWarning: '' } })],
  ['an odd warning', definition('things', { version: { deprecated: true, deprecationWarning: 'a\tb' } })],
  ['an odd strategy', definition('things', { spec: { conversion: { strategy: 'Magic' } } })],
  ['no type at the root', definition('things', withSchema({}))],
  ['another type at the root', definition('things', withSchema({ type: 'string' }))],
  ['an untyped field', definition('things', withSpec({}))],
  ['an unknown type', definition('things', withSpec({ type: 'thing' }))],
  ['the type null', definition('things', withSpec({ type: 'null' }))],
  ['an array without items', definition('things', withSpec({ type: 'array' }))],
  ['untyped items', definition('things', withSpec({ type: 'array', items: {} }))],
  [
    'additionalProperties at the root',
    definition('things', withSchema({ type: 'object', additionalProperties: true })),
  ],
  [
    'properties and additionalProperties',
    definition(
      'things',
      withSpec({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } }),
    ),
  ],
  ['a nullable root', definition('things', withSchema({ type: 'object', nullable: true }))],
  ['uniqueItems', definition('things', withSpec({ type: 'array', uniqueItems: true, items: { type: 'string' } }))],
  ['a reference', definition('things', withSpec({ $ref: '#/x' }))],
  ['definitions', definition('things', withSpec({ type: 'object', definitions: { a: { type: 'string' } } }))],
  [
    'patternProperties',
    definition('things', withSpec({ type: 'object', patternProperties: { a: { type: 'string' } } })),
  ],
  ['dependencies', definition('things', withSpec({ type: 'object', dependencies: { a: ['b'] } }))],
  ['an id', definition('things', withSpec({ type: 'object', id: 'x' }))],
  [
    'a type under anyOf',
    definition('things', withSpec({ type: 'object', anyOf: [{ type: 'object' }, { title: 'x', description: 'y' }] })),
  ],
  [
    'all that may not be nested',
    definition(
      'things',
      withSpec({
        type: 'object',
        not: {
          nullable: true,
          default: {},
          additionalProperties: { type: 'string' },
          'x-kubernetes-preserve-unknown-fields': true,
          'x-kubernetes-int-or-string': true,
          'x-kubernetes-list-type': 'set',
          'x-kubernetes-list-map-keys': ['a'],
          'x-kubernetes-map-type': 'atomic',
          'x-kubernetes-embedded-resource': true,
        },
      }),
    ),
  ],
  [
    'a nested field that is not specified',
    definition(
      'things',
      withSpec({ type: 'object', allOf: [{ properties: { a: { minLength: 1 } }, required: ['a'] }] }),
    ),
  ],
  ['nested metadata', definition('things', withSchema({ type: 'object', not: { properties: { metadata: {} } } }))],
  [
    'metadata that says too much',
    definition(
      'things',
      withSchema({
        type: 'object',
        properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
      }),
    ),
  ],
  [
    'metadata of a wrong type',
    definition(
      'things',
      withSchema({ type: 'object', properties: { metadata: { type: 'string' }, kind: { type: 'integer' } } }),
    ),
  ],
  ['a pattern with look-ahead', definition('things', withSpec({ type: 'string', pattern: '^(?=a)b$' }))],
  [
    'preserve-unknown-fields of false',
    definition('things', withSpec({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false })),
  ],
  [
    'int-or-string with more',
    definition(
      'things',
      withSpec({ 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true }),
    ),
  ],
  [
    'int-or-string under anyOf',
    definition(
      'things',
      withSpec({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }, { type: 'integer' }] }),
    ),
  ],
  ['an embedded resource without a type', definition('things', withSpec({ 'x-kubernetes-embedded-resource': true }))],
  [
    'an embedded resource without fields',
    definition('things', withSpec({ type: 'object', 'x-kubernetes-embedded-resource': true })),
  ],
  [
    'an embedded resource in metadata',
    definition(
      'things',
      withSchema({
        type: 'object',
        properties: { metadata: { type: 'object', 'x-kubernetes-embedded-resource': true } },
      }),
    ),
  ],
  ['a list type on an object', definition('things', withSpec({ type: 'object', 'x-kubernetes-list-type': 'set' }))],
  ['an odd list type', definition('things', withSpec({ ...list, 'x-kubernetes-list-type': 'bag' }))],
  ['a map list without keys', definition('things', withSpec({ ...list, 'x-kubernetes-list-type': 'map' }))],
  ['keys without a map list', definition('things', withSpec({ ...list, 'x-kubernetes-list-map-keys': ['a'] }))],
  [
    'keys of a set',
    definition('things', withSpec({ ...list, 'x-kubernetes-list-type': 'set', 'x-kubernetes-list-map-keys': ['a'] })),
  ],
  [
    'keys that are not there',
    definition('things', withSpec({ ...list, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['b'] })),
  ],
  [
    'keys without default',
    definition(
      'things',
      withSpec({ ...list, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'a'] }),
    ),
  ],
  [
    'keys that are objects',
    definition(
      'things',
      withSpec({
        type: 'array',
        items: {
          type: 'object',
          nullable: true,
          required: ['a'],
          properties: { a: { type: 'object', nullable: true } },
        },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
      }),
    ),
  ],
  [
    'a map list of strings',
    definition(
      'things',
      withSpec({
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
      }),
    ),
  ],
  ['a set of objects', definition('things', withSpec({ ...list, 'x-kubernetes-list-type': 'set' }))],
  ['a map type on a string', definition('things', withSpec({ type: 'string', 'x-kubernetes-map-type': 'atomic' }))],
  ['an odd map type', definition('things', withSpec({ type: 'object', 'x-kubernetes-map-type': 'fine' }))],
  [
    'a default of a wrong type',
    definition('things', withSpec({ type: 'object', properties: { a: { type: 'string', default: 1 } } })),
  ],
  [
    'a default with unknown fields',
    definition('things', withSpec({ type: 'object', default: { b: 1 }, properties: { a: { type: 'string' } } })),
  ],
  [
    'a default for kind',
    definition('things', withSchema({ type: 'object', properties: { kind: { type: 'string', default: 'X' } } })),
  ],
  [
    'a default in additionalProperties',
    definition('things', withSpec({ type: 'object', additionalProperties: { type: 'string', default: 'x' } })),
  ],
  [
    'a default that breaks a rule',
    definition('things', withSpec({ type: 'object', properties: { a: { type: 'integer', minimum: 3, default: 1 } } })),
  ],
  [
    'a root that says too much for a status',
    definition('things', withSchema({ ...OPEN, type: 'string' }, { subresources: { status: {} } })),
  ],
  ['scale without paths', definition('things', { version: { subresources: { scale: {} } } })],
  [
    'scale with wrong paths',
    definition('things', {
      version: {
        subresources: {
          scale: { specReplicasPath: '.status.x', statusReplicasPath: 'status.x', labelSelectorPath: '.metadata.x' },
        },
      },
    }),
  ],
  [
    'odd columns',
    definition('things', {
      version: {
        additionalPrinterColumns: [
          { name: '', type: '', jsonPath: '' },
          { name: 'X', type: 'text', jsonPath: 'spec.x', format: 'odd' },
        ],
      },
    }),
  ],
  [
    'odd selectable fields',
    definition(
      'things',
      withSpec(
        { type: 'object', properties: { a: { type: 'string' }, b: { type: 'object' } } },
        {
          selectableFields: [
            '',
            '.spec.b',
            '.spec.c',
            'spec.a',
            '.spec.a[0]',
            '.spec.a',
            '.spec.a',
            '.metadata.name',
            '.spec.',
          ].map((jsonPath) => ({ jsonPath })),
        },
      ),
    ),
  ],
  [
    'differing versions with errors of their own',
    definition('things', {
      spec: {
        versions: [
          v1,
          {
            name: 'v2',
            served: true,
            storage: false,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec: {} } } },
          },
        ],
      },
    }),
  ],
  ['unrecognised formats', definition('formats', withSpec({ type: 'string', format: 'colour' }))],
];

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

const RULED: JsonObject = {
  type: 'object',
  properties: {
    a: { type: 'integer' },
    b: { type: 'string', maxLength: 20 },
    d: { type: 'number' },
    f: { type: 'boolean' },
    l: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 } },
    i: { type: 'array', maxItems: 5, items: { type: 'integer' } },
    m: { type: 'object', maxProperties: 5, additionalProperties: { type: 'integer' } },
    o: {
      type: 'object',
      properties: { x: { type: 'string', maxLength: 10 }, namespace: { type: 'string', maxLength: 10 } },
    },
    t: { type: 'string', format: 'date-time' },
    p: { type: 'string', format: 'duration' },
    y: { type: 'string', format: 'byte', maxLength: 20 },
    v: { 'x-kubernetes-int-or-string': true },
    n: { type: 'string', nullable: true, maxLength: 10 },
    s: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 }, 'x-kubernetes-list-type': 'set' },
    k: {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['x'],
      items: {
        type: 'object',
        required: ['x'],
        properties: { x: { type: 'string', maxLength: 10 }, z: { type: 'integer' } },
      },
    },
    'with-dash': { type: 'string', maxLength: 10 },
  },
};

/** Rules of CEL, each evaluated on each of `RULED_VALUES`. */
export const RULES: readonly string[] = [
  'self.a > 1',
  'has(self.a) && self.a > 1',
  '!has(self.b) || self.b.size() > 3',
  'self.a + 1 == 3 || self.a * 2 >= 10',
  'self.a / self.m.x > 1',
  'self.a % 2 == 0',
  'self.a < self.d',
  'self.d > 1.0 && double(self.a) <= self.d',
  "self.b == 'hello' || self.b in ['x', 'y']",
  "self.b.startsWith('h') && self.b.endsWith('o') && self.b.contains('ell')",
  "self.b.matches('^[a-z]+$')",
  'self.b.lowerAscii() == self.b && self.b.upperAscii() != self.b',
  "self.b.replace('l', 'L') == 'heLLo'",
  "self.b.split('l').size() == 3",
  "self.b.substring(1, 3) == 'el'",
  "self.b.indexOf('l') == 2 && self.b.lastIndexOf('l') == 3",
  "self.b.charAt(0) == 'h' && self.b.trim() == self.b",
  "self.b.find('[aeiou]') == 'e' && self.b.findAll('[aeiou]') == ['e', 'o']",
  "'%s has %d'.format([self.b, self.a]) == 'hello has 2'",
  'self.l.all(x, x.size() > 1)',
  "self.l.exists(x, x == 'aa')",
  "self.l.exists_one(x, x.startsWith('a'))",
  "self.l.map(x, x + '!') == ['aa!', 'bb!']",
  "self.l.filter(x, x != 'aa').size() == 1",
  "self.l.join(',') == 'aa,bb'",
  "self.l[0] == 'aa'",
  "'aa' in self.l && !('zz' in self.l)",
  'self.l.isSorted() && self.l.indexOf("bb") == 1',
  'self.i.sum() == 6 && self.i.min() == 1 && self.i.max() == 3',
  'self.i.all(n, n > 0 && n < 10)',
  "self.m.all(k, self.m[k] > 0) && 'x' in self.m",
  "self.m.exists(k, k == 'y')",
  'self.m.size() == 2 && self.m.x + self.m.y == 3',
  "has(self.o) && has(self.o.x) && self.o.x == 'deep'",
  "self.o.__namespace__ == 'n'",
  "self.with__dash__dash == 'd'",
  "self.t > timestamp('2020-01-01T00:00:00Z') && self.t.getFullYear() == 2024",
  "self.p < duration('2h') && self.p.getMinutes() == 90",
  "self.y == b'hello' && self.y.size() == 5",
  'type(self.v) == int ? self.v < 10 : self.v.endsWith("%")',
  'self.v == 5',
  "self.n == 'x'",
  "self.s == ['b', 'a']",
  "sets.contains(self.l, ['aa']) && sets.intersects(self.l, self.s)",
  "self.k.all(e, e.z > 0) && self.k.exists(e, e.x == 'one')",
  "self.k.filter(e, e.x == 'one')[0].z == 1",
  "self.?b.orValue('none') != 'none'",
  "self.?o.?x.hasValue() && self.?o.x.orValue('') == 'deep'",
  'self.f ? self.a > 0 : self.a < 0',
  'self.f || self.a / 0 == 1',
  "quantity('1Gi').isGreaterThan(quantity('500Mi')) && isQuantity('1k') && quantity(self.b).isInteger()",
  "isURL('https://example.com:80/x') && url('https://example.com:80/x').getPort() == '80'",
  "cidr('10.0.0.0/8').containsIP(ip('10.1.2.3')) && isIP('1.2.3.4') && !isCIDR(self.b)",
  'self.i.transformList(i, v, v * i) == [0, 2, 6]',
  "string(self.a) == '2' && int('2') == self.a && uint(2) == 2u",
  "[1, 2, 3].exists(x, x == self.a) && {'a': 1}.a == 1 && {'a': self.a}['a'] == 2",
  '!format.dns1123Label().validate(self.b).hasValue()',
  '-self.a == -2 && self.a - 3 == -1',
  "self.l + ['cc'] == ['aa', 'bb', 'cc'] && self.s + ['a'] == self.s",
  '[3, 1].sort() == [1, 3] && [1, 2].reverse() == [2, 1] && [[1], [2]].flatten() == [self.a - 1, self.a]',
  '// a comment\nsize(self.l) == 2',
  'self.k.map(e, e.z).sum() == 3 && self.k.all(e, self.l.exists(x, x.size() == 2))',
];

export const RULED_VALUES: readonly JsonObject[] = [
  {
    a: 2,
    b: 'hello',
    d: 2.5,
    f: true,
    l: ['aa', 'bb'],
    i: [1, 2, 3],
    m: { x: 1, y: 2 },
    o: { x: 'deep', namespace: 'n' },
    t: '2024-05-06T07:08:09Z',
    p: '1h30m',
    y: 'aGVsbG8=',
    v: 5,
    n: 'x',
    s: ['a', 'b'],
    k: [
      { x: 'one', z: 1 },
      { x: 'two', z: 2 },
    ],
    'with-dash': 'd',
  },
  { a: 1, b: 'HI', d: 0.5, f: false, l: ['a'], i: [], m: {}, o: {}, v: '50%', n: null, s: ['aa'], k: [], p: '3h' },
  {},
  { v: true, a: -5, b: 'x', l: [], m: { x: 0 }, t: '2019-01-01T00:00:00Z', k: [{ x: 'one', z: 0 }], i: [5], y: 'AA==' },
];

/** A definition with a field for each rule: `spec.r0`, `spec.r1`, … */
export function ruledDefinition(plural: string, rules: readonly JsonObject[]): JsonObject {
  const properties = Object.fromEntries(
    rules.map((rule, index) => [`r${index}`, { ...RULED, 'x-kubernetes-validations': [rule] }]),
  );
  return definition(plural, withSpec({ type: 'object', properties }));
}

/** Rules that the real server refuses to compile. */
export const BAD_RULES: readonly JsonObject[] = [
  { rule: '' },
  { rule: 'self.foo > 1' },
  { rule: 'foo' },
  { rule: 'self.a' },
  { rule: "self.a == 'x'" },
  { rule: 'self.a / 2.0 > 1.0' },
  { rule: 'self.b.foo == 2' },
  { rule: 'self.l.all(x, x.foo == 1)' },
  { rule: "self.b.matches('(')" },
  { rule: 'self.a && true' },
  { rule: 'self.n == null' },
  { rule: '!self.b' },
  { rule: 'self.a < self.b' },
  { rule: '\nself.foo\n', message: 'lines' },
  { rule: 'true\n|| false' },
  { rule: 'true', message: ' ' },
  { rule: 'true', message: 'a\nb' },
  { rule: 'true', messageExpression: ' ' },
  { rule: 'true', messageExpression: 'self.a' },
  { rule: 'true', messageExpression: 'self.foo' },
  { rule: 'true', reason: 'Because' },
  { rule: 'true', fieldPath: '.nope' },
  { rule: 'true', optionalOldSelf: true },
];
