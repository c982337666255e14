/** What the replay server has objects of; `one-pod` are copies of one. */
export type Kind = 'pods' | 'one-pod' | 'events' | 'configmaps' | 'secrets' | 'databases';

/** What the clients follow in one part of a run. */
export interface Scene {
  readonly kind: Kind;
  readonly objects: number;
  readonly tls: boolean;
}

const PLURALS: Readonly<Record<Kind, string>> = {
  pods: 'pods',
  'one-pod': 'copies of one pod',
  events: 'Events',
  configmaps: 'ConfigMaps',
  secrets: 'Secrets',
  databases: 'custom resources',
};

/** Pods that differ, over TLS: what clusters have. The other scenes say how they differ from it. */
export function pods(objects: number): Scene {
  return { kind: 'pods', objects, tls: true };
}

/** The scene that most is promised for. */
export const STANDARD = pods(20_000);
export const MILLION = pods(1_000_000);
export const ONE_POD: Scene = { kind: 'one-pod', objects: 20_000, tls: false };
export const CUSTOM_RESOURCES: Scene = { kind: 'databases', objects: 20_000, tls: true };

/** Its title, by which scenes are told apart: "20,000 pods", "20,000 copies of one pod, plain HTTP". */
export function titleOf({ kind, objects, tls }: Scene): string {
  return `${objects.toLocaleString('en')} ${PLURALS[kind]}${tls ? '' : ', plain HTTP'}`;
}

/** What the programs of the clients call it. */
export function resourceOf({ kind }: Scene): string {
  return kind === 'one-pod' ? 'pods' : kind;
}
