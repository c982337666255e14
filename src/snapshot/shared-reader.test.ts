import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SharedReader } from './shared-reader.ts';
import type { SnapshotReader } from './snapshot-file.ts';

/** A file that tells how often it was opened and closed. */
function file() {
  const count = { opened: 0, closed: 0 };
  const open = async () => {
    count.opened++;
    await nextTurn();
    const reader: Pick<SnapshotReader, 'close'> = {
      close: async () => {
        await nextTurn();
        count.closed++;
      },
    };
    return reader as SnapshotReader;
  };
  return { count, open };
}

describe('SharedReader', () => {
  it('opens the file once for all who read at the same time, and closes it after the last', async () => {
    const { count, open } = file();
    const shared = new SharedReader(open);
    const ends: (() => void)[] = [];
    const uses = Array.from({ length: 3 }, () =>
      shared.use(() => new Promise<void>((resolve) => void ends.push(resolve))),
    );
    await expect.poll(() => ends.length).toBe(3);
    ends[0]?.();
    ends[1]?.();
    await uses[1];
    expect(count).toEqual({ opened: 1, closed: 0 });
    ends[2]?.();
    await Promise.all(uses);
    expect(count).toEqual({ opened: 1, closed: 1 });
  });

  it('opens it again for one who comes while it is being closed', async () => {
    let opened = 0;
    let second: Promise<number> | undefined;
    const shared: SharedReader = new SharedReader(async () => {
      opened++;
      const close = async () => {
        second ??= shared.use(async () => opened);
      };
      return { close } as SnapshotReader;
    });
    await shared.use(async () => {});
    expect(await second).toBe(2);
  });

  it('closes it when the work of one fails, and the others go on', async () => {
    const { count, open } = file();
    const shared = new SharedReader(open);
    const broken = shared.use(async () => {
      throw new Error('damaged');
    });
    const whole = shared.use(async () => 'read');
    await expect(broken).rejects.toThrow('damaged');
    expect(await whole).toBe('read');
    expect(count).toEqual({ opened: 1, closed: 1 });
  });

  it('asks again for a file that could not be opened', async () => {
    let tries = 0;
    const { open } = file();
    const shared = new SharedReader(async () => (tries++ === 0 ? undefined : await open()));
    const hasFile = () => shared.use(async (reader) => reader !== undefined);
    expect(await Promise.all([hasFile(), hasFile()])).toEqual([false, false]);
    expect(await hasFile()).toBe(true);
  });
});
