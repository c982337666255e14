import type { Cached } from '../api/cached.ts';
import { objectKey } from '../api/key.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { ResourceEventHandler } from './processor.ts';
import { SharedProcessor } from './shared-processor.ts';

/** A version of an object named `name`, for tests. */
export function version(name: string, resourceVersion: string, uid = `uid-${name}`): Cached {
  const metadata = { namespace: 'default', name, uid, resourceVersion };
  const object = { kind: 'Pod', apiVersion: 'v1', metadata };
  const key = objectKey('default', name);
  return { key, namespace: 'default', name, uid, resourceVersion, labels: {}, view: () => object };
}

/** A handler that writes down what it hears: `add a@1 initial`, `update a@1->2`, `delete a@2`. */
export function recorder(): ResourceEventHandler<KubernetesObject> & { heard: string[] } {
  const heard: string[] = [];
  const at = ({ metadata }: KubernetesObject) => `${metadata?.name}@${metadata?.resourceVersion}`;
  return {
    heard,
    onAdd: (object, initial) => void heard.push(`add ${at(object)}${initial ? ' initial' : ''}`),
    onUpdate: (old, object) => void heard.push(`update ${at(old)}->${object.metadata?.resourceVersion}`),
    onDelete: (object, unknown) => void heard.push(`delete ${at(object)}${unknown ? ' unknown' : ''}`),
  };
}

export function logRecorder(): Logger & { lines: string[] } {
  const lines: string[] = [];
  const push = (message: string) => void lines.push(message);
  return { lines, debug: () => {}, info: () => {}, warn: push, error: push };
}

/**
 * A processor whose initial list is complete when `synced` is set, and whose store is a map. A slice ends when handlers
 * `spend` the time of the clock: whatever the machine does, one turn is enough for all calls that return at once.
 */
export function processorFixture(defaultResyncMs = 0, clock = new FakeClock(0)) {
  const store = new Map<string, Cached>();
  const logger = logRecorder();
  const upstream = { synced: true };
  const processor = new SharedProcessor<KubernetesObject>({
    name: 'pods',
    stored: (key) => store.get(key),
    defaultResyncMs,
    hasSynced: () => upstream.synced,
    clock,
    logger,
  });
  return { clock, logger, upstream, store, processor, settle: () => clock.advance(0) };
}
