/** One row of the table: a program with the arguments that make the variant. */
export interface Contestant {
  readonly name: string;
  /** Which program: see `programs.ts`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly encoding: 'json' | 'protobuf';
  /** More than this it cannot hold, or not within minutes, on a machine with 24 GB. */
  readonly maxObjects: number;
  /** Not in the chart; there for a ratio. */
  readonly aside?: boolean;
  /** No ratio needs it, so the check does without. */
  readonly onlyInFull?: boolean;
}

const tidewatch = (store: 'packed' | 'plain', encoding: 'json' | 'protobuf', maxObjects: number): Contestant => ({
  name: `tidewatch, ${store}, ${label(encoding)}`,
  program: 'tidewatch',
  args: ['--store', store, '--reads'],
  encoding,
  maxObjects,
  onlyInFull: store === 'plain',
});

const readAll = (store: 'packed' | 'plain'): Contestant => ({
  name: `tidewatch, ${store}, everything read`,
  program: 'tidewatch',
  args: ['--store', store, '--read-all'],
  encoding: 'protobuf',
  maxObjects: 20_000,
  aside: true,
});

const clientGo = (encoding: 'json' | 'protobuf', maxObjects: number, dropManaged = false): Contestant => ({
  name: `client-go, ${label(encoding)}${dropManaged ? ', managedFields dropped' : ''}`,
  program: 'client-go',
  args: dropManaged ? ['--drop-managed-fields'] : [],
  encoding,
  maxObjects,
});

const json = { encoding: 'json', maxObjects: 20_000 } as const;

export const contestants: readonly Contestant[] = [
  tidewatch('packed', 'protobuf', 1_000_000),
  tidewatch('packed', 'json', 1_000_000),
  tidewatch('plain', 'protobuf', 100_000),
  tidewatch('plain', 'json', 100_000),
  readAll('packed'),
  readAll('plain'),
  clientGo('protobuf', 100_000),
  clientGo('protobuf', 100_000, true),
  clientGo('json', 20_000),
  { name: 'kube-rs, JSON', program: 'kube-rs', args: [], ...json },
  { name: 'kube-rs, JSON, managedFields dropped', program: 'kube-rs', args: ['--drop-managed-fields'], ...json },
  { name: '@kubernetes/client-node, JSON', program: 'client-node', args: [], ...json },
];

function label(encoding: 'json' | 'protobuf'): string {
  return encoding === 'json' ? 'JSON' : 'protobuf';
}
