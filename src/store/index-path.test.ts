import { describe, expect, it } from 'vitest';
import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { ObjectPath, PathReadable } from '../api/object-path.ts';
import { parseIndexPath, pathReader } from './index-path.ts';
import { KeptObject } from './store.ts';

const object: KubernetesObject & Record<'spec' | 'data', unknown> = {
  metadata: {
    name: 'web',
    namespace: 'default',
    uid: 'u1',
    resourceVersion: '7',
    labels: { app: 'web', 'app.kubernetes.io/name': 'nginx', empty: '' },
    annotations: { 'a.b/c': 'note' },
    ownerReferences: ['o1', 'o2'].map((uid) => ({ apiVersion: 'v1', kind: 'Node', name: uid, uid })),
  },
  spec: {
    nodeName: 'n1',
    replicas: 3,
    paused: false,
    nothing: null,
    containers: [{ image: 'x', ports: [{ port: 80 }, { port: 443 }] }, { image: 'y' }],
    selector: { tier: 'db', zone: 'a' },
  },
  data: { 'my.key': 'v', __proto__x: 'p' },
};

function values(path: string, of: KubernetesObject = object): readonly string[] {
  const found = pathReader(parseIndexPath('i', path))(new KeptObject('default/web', of));
  return typeof found === 'string' ? [found] : (found ?? []);
}

describe('an index path', () => {
  it.each([
    ['metadata.name', ['web']],
    ['metadata.namespace', ['default']],
    ['metadata.uid', ['u1']],
    ['metadata.resourceVersion', ['7']],
    ['metadata.labels.app', ['web']],
    ['metadata.labels.app.kubernetes.io/name', ['nginx']],
    ['metadata.labels.empty', ['']],
    ['metadata.labels.toString', []],
    ['metadata.labels.*', ['web', 'nginx', '']],
    ['metadata.annotations.a.b/c', ['note']],
    ['metadata.ownerReferences.*.uid', ['o1', 'o2']],
    ['spec.nodeName', ['n1']],
    ['spec.replicas', ['3']],
    ['spec.paused', ['false']],
    ['spec.nothing', []],
    ['spec.missing.deeper', []],
    ['spec.nodeName.deeper', []],
    ['spec.containers', []],
    ['spec.containers.image', []],
    ['spec.containers.*.image', ['x', 'y']],
    ['spec.containers.0.image', ['x']],
    ['spec.containers.*.ports.*.port', ['80', '443']],
    ['spec.selector.*', ['db', 'a']],
    ['data.my\\.key', ['v']],
    ['constructor.name', []],
    ['__proto__.toString', []],
  ])('%s leads to %j', (path, expected) => {
    expect(values(path)).toEqual(expected);
  });

  it('leads nowhere in an object without metadata', () => {
    for (const path of ['metadata.name', 'metadata.namespace', 'metadata.labels.app', 'spec.x']) {
      expect(values(path, {})).toEqual([]);
    }
  });

  it.each(['', '.', 'spec.', '.spec', 'a..b'])('cannot be "%s"', (path) => {
    expect(() => parseIndexPath('by-x', path)).toThrow(/the index "by-x" cannot follow the path/);
  });

  it('is followed by the object itself where it can, without a view', () => {
    const asked: ObjectPath[] = [];
    const packed: Cached & PathReadable = {
      key: 'default/web',
      namespace: 'default',
      name: 'web',
      uid: '',
      resourceVersion: '',
      labels: { app: 'web' },
      view() {
        throw new Error('decoded');
      },
      valueAt(path) {
        asked.push(path);
        return 'from bytes';
      },
      touch: () => 0,
    };
    expect(pathReader(parseIndexPath('i', 'spec.nodeName'))(packed)).toBe('from bytes');
    expect(pathReader(parseIndexPath('i', 'metadata.labels.app'))(packed)).toBe('web');
    expect(asked).toEqual([{ text: 'spec.nodeName', segments: ['spec', 'nodeName'], isPlural: false }]);
  });
});
