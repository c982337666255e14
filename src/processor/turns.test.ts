import { describe, expect, it } from 'vitest';
import { SLICE_MS } from '../observe/scheduler.ts';
import { Notification } from './notification.ts';
import { processorFixture, version } from './processor-fixture.ts';

const add = (name: string, rv: string, initial = false) => Notification.add(version(name, rv), initial, 0);

describe('turns', () => {
  /** Two handlers, `count` changes for each, and the order of the calls. `callMs`: how long a call takes. */
  async function calls(count: number, callMs: number): Promise<string> {
    const { processor, settle, clock } = processorFixture();
    let order = '';
    for (const letter of ['A', 'B']) {
      const onAdd = () => {
        order += letter;
        clock.spend(callMs);
      };
      processor.addHandler({ onAdd }, {}, []);
    }
    for (let n = 0; n < count; n++) processor.distribute(add(`a${n}`, '1'), false);
    while (order.length < 2 * count) await settle();
    return order;
  }

  it('pass to the next listener after 16 calls, however many wait', async () => {
    expect(await calls(40, 0)).toBe(
      ['A'.repeat(16), 'B'.repeat(16), 'A'.repeat(16), 'B'.repeat(16), 'A'.repeat(8), 'B'.repeat(8)].join(''),
    );
  });

  it('pass to the next listener when a slice is over, which does not begin with the same one again', async () => {
    expect(await calls(4, 5)).toBe('ABABABAB');
  });

  it('give the event loop its turn when a slice is over', async () => {
    const { processor, clock } = processorFixture();
    let calls = 0;
    const onAdd = () => {
      calls++;
      clock.spend(1);
    };
    processor.addHandler({ onAdd }, {}, []);
    for (let n = 0; n < 100; n++) processor.distribute(add(`a${n}`, '1'), false);
    const atEachTurn: number[] = [];
    while (calls < 100) {
      await new Promise((resolve) => setImmediate(resolve));
      atEachTurn.push(calls);
    }
    expect(Math.max(...atEachTurn.map((made, i) => made - (atEachTurn[i - 1] ?? 0)))).toBeLessThanOrEqual(SLICE_MS);
  });

  it('end for an async handler when the slice is over, though its calls return at once', async () => {
    const { processor, clock } = processorFixture();
    let calls = 0;
    const onAdd = async () => {
      calls++;
      clock.spend(1);
    };
    processor.addHandler({ onAdd }, {}, []);
    for (let n = 0; n < 100; n++) processor.distribute(add(`a${n}`, '1'), false);
    const atEachTurn: number[] = [];
    while (calls < 100) {
      await new Promise((resolve) => setImmediate(resolve));
      atEachTurn.push(calls);
    }
    expect(Math.max(...atEachTurn.map((made, i) => made - (atEachTurn[i - 1] ?? 0)))).toBe(SLICE_MS);
  });
});
