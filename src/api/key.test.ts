import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeletedFinalStateUnknown } from './deleted-final-state-unknown.ts';
import { deletionHandlingKey, KeyError, metaNamespaceKey, splitMetaNamespaceKey } from './key.ts';
import type { KubernetesObject } from './metadata.ts';

describe('metaNamespaceKey', () => {
  it('is namespace/name, or the name of a cluster-scoped object', () => {
    expect(metaNamespaceKey({ metadata: { namespace: 'default', name: 'web' } })).toBe('default/web');
    expect(metaNamespaceKey({ metadata: { name: 'node-1' } })).toBe('node-1');
    expect(metaNamespaceKey({ metadata: { namespace: '', name: 'node-1' } })).toBe('node-1');
  });

  it.each([undefined, null, 7, {}, { metadata: null }, { metadata: {} }, { metadata: { name: '' } }])(
    'refuses %j with a KeyError that keeps the object',
    (object) => {
      let caught: unknown;
      try {
        metaNamespaceKey(object as KubernetesObject);
      } catch (error) {
        caught = error;
      }
      expect(caught).toBeInstanceOf(KeyError);
      expect((caught as KeyError).obj).toBe(object);
    },
  );

  it('says where a key goes that was given in place of an object', () => {
    const key: unknown = 'default/web';
    expect(() => metaNamespaceKey(key as KubernetesObject)).toThrow(
      'could not make a key for default/web: it is a text; getByKey takes a key',
    );
  });

  it('does not show the object, which may be a Secret, in the error', () => {
    const error = new KeyError({ kind: 'Secret', data: { password: 'aHVudGVyMg==' } }, 'it has no metadata');
    expect(inspect(error)).not.toContain('aHVudGVyMg');
    expect(error.message).toBe('could not make a key for a Secret: it has no metadata');
  });
});

describe('deletionHandlingKey', () => {
  it('is the key inside a tombstone', () => {
    expect(deletionHandlingKey(new DeletedFinalStateUnknown('default/web', undefined))).toBe('default/web');
    expect(deletionHandlingKey({ metadata: { name: 'a' } })).toBe('a');
  });
});

describe('splitMetaNamespaceKey', () => {
  it('is the reverse of metaNamespaceKey', () => {
    const part = fc.stringMatching(/^[a-z0-9.-]+$/);
    fc.assert(
      fc.property(fc.oneof(fc.constant(''), part), part, (namespace, name) => {
        expect(splitMetaNamespaceKey(metaNamespaceKey({ metadata: { namespace, name } }))).toEqual({ namespace, name });
      }),
    );
  });

  it('refuses what has more than one slash', () => {
    expect(() => splitMetaNamespaceKey('a/b/c')).toThrow('"a/b/c" is not a key');
  });
});
