import type { Kind, Scene } from './scene.ts';

/** One row of the table: a program with the arguments that make the variant. */
export interface Contestant {
  readonly name: string;
  /** Which program: see `programs.ts`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly encoding: 'json' | 'protobuf';
  readonly kinds: ReadonlySet<Kind>;
  /** With more it is not tried, unless `--any-size` is given. */
  readonly maxObjects: number;
  /** Why, given what its heap would come to; unset: it is then not in the table. */
  readonly beyond?: (heap: string) => string;
  /** What the chart and the table of the README call it; unset: it is not in them. */
  readonly label?: string;
  /** In this many rounds of the check it takes part; unset: in none, because no ratio that is guarded needs it. */
  readonly roundsOfCheck?: number;
  /** Takes minutes with many pods: one round must do. */
  readonly slow?: boolean;
}

type Encoding = Contestant['encoding'];

const PODS: ReadonlySet<Kind> = new Set(['pods', 'one-pod']);
const PODS_AND_MORE: ReadonlySet<Kind> = new Set([...PODS, 'events', 'configmaps', 'secrets']);
const PODS_AND_CUSTOM: ReadonlySet<Kind> = new Set([...PODS, 'databases']);

/** Whether it is worth its time: beside pods that differ, over TLS, only those that have a label, and all that know the kind. */
export function takesPartIn({ kinds, label }: Contestant, { kind, tls }: Scene): boolean {
  if (!kinds.has(kind)) return false;
  return (kind === 'pods' && tls) || !PODS.has(kind) || label !== undefined;
}

/** From here on, tidewatch is also read while it syncs. */
export const LARGE = 100_000;

const heapOfV8 = (heap: string) => `its heap would be ${heap}, and V8 allows itself 4 GB`;
const heapOfGo = (heap: string) => `its live heap would be ${heap}, and Go lets it double between collections`;
const liveHeap = (heap: string) => `its live heap alone would be ${heap}`;

export const contestants: readonly Contestant[] = [
  {
    ...tidewatch('packed', 'protobuf'),
    label: 'tidewatch, protobuf',
    kinds: PODS_AND_MORE,
    maxObjects: Number.POSITIVE_INFINITY,
    roundsOfCheck: 3,
  },
  {
    ...tidewatch('packed', 'json'),
    label: 'tidewatch, JSON',
    kinds: PODS_AND_CUSTOM,
    roundsOfCheck: 2,
    beyond: (heap) => `JSON is the larger encoding, ${heap}; \`--any-size\` tries it`,
  },
  {
    ...tidewatch('shared', 'protobuf'),
    kinds: PODS_AND_MORE,
    maxObjects: Number.POSITIVE_INFINITY,
    roundsOfCheck: 3,
  },
  tidewatch('plain', 'protobuf'),
  { ...tidewatch('plain', 'json'), kinds: PODS_AND_CUSTOM },
  readAll('packed'),
  readAll('plain'),
  { ...clientGo('protobuf'), label: 'client-go, protobuf', kinds: PODS_AND_MORE, roundsOfCheck: 3 },
  { ...clientGo('protobuf', true), roundsOfCheck: 1 },
  { ...clientGo('json'), label: 'client-go, JSON', kinds: PODS_AND_CUSTOM, roundsOfCheck: 1, slow: true },
  { ...kubeRs(), label: 'kube-rs, JSON', slow: true },
  { ...kubeRs(true), slow: true },
  {
    name: '@kubernetes/client-node, JSON',
    label: '@kubernetes/client-node, JSON',
    program: 'client-node',
    args: [],
    kinds: PODS,
    encoding: 'json',
    maxObjects: 20_000,
    beyond: () => 'it reads a list as one string, and strings of V8 end at 512 MB, about 32,000 of these pods',
  },
];

/** The store and the encoding are always said, so that a row stays what it is when a default changes. */
function tidewatch(store: 'packed' | 'shared' | 'plain', encoding: Encoding): Contestant {
  return {
    name: `tidewatch, ${store}, ${nameOf(encoding)}`,
    program: 'tidewatch',
    args: ['--store', store, '--reads'],
    kinds: PODS,
    encoding,
    maxObjects: LARGE,
    beyond: heapOfV8,
  };
}

function readAll(store: 'packed' | 'plain'): Contestant {
  return {
    name: `tidewatch, ${store}, everything read`,
    program: 'tidewatch',
    args: ['--store', store, '--read-all'],
    kinds: new Set(['pods']),
    encoding: 'protobuf',
    maxObjects: 20_000,
    roundsOfCheck: 1,
  };
}

function clientGo(encoding: Encoding, dropManaged = false): Contestant {
  return {
    name: `client-go, ${nameOf(encoding)}${dropManaged ? ', managedFields dropped' : ''}`,
    program: 'client-go',
    args: dropManaged ? ['--drop-managed-fields'] : ['--reads'],
    kinds: PODS,
    encoding,
    maxObjects: LARGE,
    beyond: heapOfGo,
  };
}

function kubeRs(dropManaged = false): Contestant {
  return {
    name: `kube-rs, JSON${dropManaged ? ', managedFields dropped' : ''}`,
    program: 'kube-rs',
    args: dropManaged ? ['--drop-managed-fields'] : [],
    kinds: PODS,
    encoding: 'json',
    maxObjects: LARGE,
    beyond: liveHeap,
  };
}

function nameOf(encoding: Encoding): string {
  return encoding === 'json' ? 'JSON' : 'protobuf';
}
