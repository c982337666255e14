import { describe, expect, it } from 'vitest';
import type { Cached } from '../api/cached.ts';
import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import type { Notification } from '../processor/notification.ts';
import { logRecorder, version } from '../processor/processor-fixture.ts';
import type { DeltaType } from '../queue/queue.ts';
import { metaNamespaceIndex } from '../store/index-definition.ts';
import { ObjectTable } from '../store/object-table.ts';
import { DeltaHandler } from './delta-handler.ts';

function fixture(table = new ObjectTable(), isHeard?: () => boolean) {
  const heard: string[] = [];
  const logger = logRecorder();
  const tell = ({ type, object, old, flag }: Notification<object>, isSync: boolean) => {
    const inTable = table.get(object.key)?.resourceVersion ?? 'none';
    heard.push(
      `${type} ${old && (type === 'update' || old !== object) ? `${old.resourceVersion}->` : ''}${object.resourceVersion}${flag ? ' flag' : ''}${isSync ? ' sync' : ''} (store: ${inTable})`,
    );
  };
  const failed: unknown[] = [];
  const handler = new DeltaHandler({
    name: 'pods',
    table,
    distribute: tell,
    ...(isHeard && { isHeard }),
    onFailed: (error) => failed.push(error),
    clock: new FakeClock(),
    logger,
  });
  const handle = (type: DeltaType, object: Cached | DeletedFinalStateUnknown<Cached>, initial = false) =>
    handler.handle([{ type, object }], initial);
  return { table, heard, failed, logger, handle, handler };
}

describe('DeltaHandler', () => {
  it('changes the store before it tells of the change', () => {
    const { heard, handle } = fixture();
    handle('Replaced', version('a', '1'), true);
    handle('Updated', version('a', '2'));
    handle('Deleted', version('a', '3'));
    expect(heard).toEqual(['add 1 flag (store: 1)', 'update 1->2 (store: 2)', 'delete 2->3 (store: none)']);
  });

  it('leaves the store at the version of the last change, also when that was a deletion', () => {
    const { table, handle } = fixture();
    handle('Added', version('a', '1'));
    handle('Deleted', version('a', '7'));
    expect(table.resourceVersion).toBe('7');
    handle('Added', version('b', '9'));
    handle('Deleted', new DeletedFinalStateUnknown('default/b', version('b', '9')));
    expect(table.resourceVersion).toBe('9');
  });

  it('takes deltas of one object in order', () => {
    const { heard, handler } = fixture();
    handler.handle(
      [
        { type: 'Added', object: version('a', '1') },
        { type: 'Deleted', object: version('a', '2') },
        { type: 'Added', object: version('a', '3', 'uid-2') },
      ],
      false,
    );
    expect(heard.map((line) => line.split(' ')[0])).toEqual(['add', 'delete', 'add']);
  });

  it('does not write what a resync finds in the store', () => {
    const { table, heard, handle } = fixture();
    const old = version('a', '1');
    handle('Added', old);
    handle('Added', version('b', '2'));
    handle('Sync', old);
    expect(heard.at(-1)).toBe('update 1->1 sync (store: 1)');
    expect(table.resourceVersion).toBe('2');
  });

  it('tells of what takes the place of a damaged object, also at the same version', () => {
    const { heard, handler, handle } = fixture();
    const damaged = version('a', '1');
    handle('Added', damaged);
    handler.damaged(damaged);
    handle('Sync', damaged);
    handle('Replaced', version('a', '1'));
    handle('Replaced', version('a', '1'));
    expect(heard.slice(1).map((line) => line.includes(' sync'))).toEqual([true, false, true]);
  });

  it('passes over a repair of an object that is there at another version, is another one, or is gone', () => {
    const { heard, logger, table, handler, handle } = fixture();
    const repair = (resourceVersion: string, uid?: string) => {
      const fetched = version('a', resourceVersion, uid);
      handler.fetched(fetched);
      handle('Updated', fetched);
      return table.get(fetched.key) === fetched;
    };
    expect(repair('2')).toBe(false);
    handle('Added', version('a', '2'));
    expect([repair('1'), repair('3'), repair('2', 'another'), repair('2')]).toEqual([false, false, false, true]);
    handle('Deleted', version('a', '4'));
    expect(repair('2')).toBe(false);
    expect(heard).toHaveLength(3);
    expect(logger.lines).toEqual([]);
  });

  it('calls it a resync when the version is the same, whether by the timer or by a relist', () => {
    const { heard, handle } = fixture();
    handle('Added', version('a', '1'));
    handle('Sync', version('a', '1'));
    handle('Replaced', version('a', '1'));
    handle('Replaced', version('a', '2'));
    expect(heard.slice(1)).toEqual([
      'update 1->1 sync (store: 1)',
      'update 1->1 sync (store: 1)',
      'update 1->2 (store: 2)',
    ]);
  });

  it.each<DeltaType>(['Replaced', 'Updated'])('makes of another uid in %s a delete and an add', (type) => {
    const { heard, handle } = fixture();
    handle('Added', version('a', '1', 'uid-1'));
    handle(type, version('a', '5', 'uid-2'));
    expect(heard.slice(1)).toEqual(['delete 1 flag (store: 5)', 'add 5 (store: 5)']);
  });

  it('tells the last state seen when the deletion was missed', () => {
    const { heard, handle } = fixture();
    handle('Added', version('a', '1'));
    handle('Deleted', new DeletedFinalStateUnknown('default/a', version('a', '1')));
    expect(heard[1]).toBe('delete 1 flag (store: none)');
  });

  it('tells of the object that was shown when the deletion is of one that never was', () => {
    const { heard, handle } = fixture();
    handle('Added', version('a', '1', 'uid-1'));
    handle('Deleted', version('a', '9', 'uid-2'));
    expect(heard[1]).toBe('delete 1 flag (store: none)');
  });

  it('does not tell of the deletion of an object that was never shown', () => {
    const { heard, handle } = fixture();
    handle('Deleted', version('a', '1'));
    expect(heard).toEqual([]);
  });

  it('never goes back to an older version by a single event, but believes a list', () => {
    const { heard, handle, logger } = fixture();
    handle('Added', version('a', '10'));
    handle('Updated', version('a', '9'));
    expect(heard).toHaveLength(1);
    expect(logger.lines[0]).toContain('skipped version 9 of default/a');
    handle('Replaced', version('a', '9'));
    expect(heard[1]).toBe('update 10->9 (store: 9)');
  });

  it('takes versions that cannot be ordered as they come', () => {
    const { heard, handle } = fixture();
    handle('Added', version('a', 'b'));
    handle('Updated', version('a', 'a'));
    expect(heard).toHaveLength(2);
  });
});

describe('DeltaHandler with a first list', () => {
  const listed = ['a', 'b', 'c'].map((name, i) => version(name, String(i + 1)));
  /** What `put` of each would have done. */
  const indexed = () => new ObjectTable({ namespace: metaNamespaceIndex });

  it('stores what is new, and tells of each', () => {
    const { table, heard, handler } = fixture(indexed());
    expect(handler.listed(listed, 0, 2)).toBe(2);
    expect(heard).toEqual(['add 1 flag (store: 1)', 'add 2 flag (store: 2)']);
    expect(table.byIndex('namespace', 'default').map(({ name }) => name)).toEqual(['a', 'b']);
    expect(table.resourceVersion).toBe('2');
    expect(handler.listed(listed, 2, 3)).toBe(1);
    expect(table.size).toBe(3);
  });

  it('makes nothing for what nobody hears of', () => {
    let isHeard = false;
    const { table, heard, handler } = fixture(indexed(), () => isHeard);
    expect(handler.listed(listed, 0, 2)).toBe(2);
    isHeard = true;
    expect(handler.listed(listed, 2, 3)).toBe(1);
    expect(heard).toEqual(['add 3 flag (store: 3)']);
    expect(table.size).toBe(3);
  });

  it('takes what is there already by itself, as an update', () => {
    const { table, heard, handler } = fixture(indexed());
    table.put(version('b', '1'));
    expect(handler.listed(listed, 0, 3)).toBe(1);
    expect(handler.listed(listed, 1, 3)).toBe(1);
    expect(handler.listed(listed, 2, 3)).toBe(1);
    expect(heard).toEqual(['add 1 flag (store: 1)', 'update 1->2 (store: 2)', 'add 3 flag (store: 3)']);
  });

  it('asks an index function once for each, and leaves out the one on which it fails', () => {
    const asked: (string | undefined)[] = [];
    const table = new ObjectTable({
      namespace: metaNamespaceIndex,
      mine: ({ metadata }) => {
        asked.push(metadata?.name);
        if (metadata?.name === 'b') throw new Error('no');
        return [];
      },
    });
    const { heard, handler } = fixture(table);
    for (let at = 0; at < listed.length; ) at += handler.listed(listed, at, listed.length);
    expect(asked).toEqual(['a', 'b', 'c']);
    expect(heard).toEqual(['add 1 flag (store: 1)', 'add 3 flag (store: 3)']);
    expect(handler.leftOut.map(({ key }) => key)).toEqual(['default/b']);
  });

  it('tells of the others when it fails to tell of one', () => {
    const { table, handler, failed } = fixture(indexed());
    const heard: string[] = [];
    const failing = new DeltaHandler({
      name: 'pods',
      table,
      distribute: ({ object }) => {
        if (object.name === 'b') throw new Error('no');
        heard.push(object.name);
      },
      onFailed: (error) => failed.push(error),
      clock: new FakeClock(),
      logger: logRecorder(),
    });
    expect(failing.listed(listed, 0, 3)).toBe(3);
    expect(heard).toEqual(['a', 'c']);
    expect(failed).toEqual([new Error('no')]);
    expect(handler.known('default/b')).toBe(listed[1]);
  });
});
