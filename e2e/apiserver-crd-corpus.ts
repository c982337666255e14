import type { JsonObject } from '../src/apiserver/values/json.ts';

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

export function withSpec(spec: JsonObject, version: JsonObject = {}): DefinitionParts {
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
