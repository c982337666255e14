import { describe, expect, it } from 'vitest';
import { Notification } from './notification.ts';
import { processorFixture, recorder, version } from './processor-fixture.ts';

const update = (name: string, old: string, rv: string) => Notification.update(version(name, old), version(name, rv), 0);
const remove = (name: string, rv: string) => Notification.delete(version(name, rv), false, 0);

describe('a late listener', () => {
  it.each(['all', 'latest'] as const)(
    'costs nothing for each object that it has yet to hear of: %s',
    async (delivery) => {
      const { processor, settle } = processorFixture();
      let looks = 0;
      const present = new Proxy([version('a', '1'), version('b', '1'), version('c', '1')], {
        get(target, property, receiver) {
          if (/^\d+$/.test(String(property))) looks++;
          return Reflect.get(target, property, receiver);
        },
      });
      const handler = recorder();
      const registration = processor.addHandler(handler, { delivery }, present);
      expect(looks).toBe(0);
      expect(registration.pending).toBe(3);
      await settle();
      expect(looks).toBe(3);
      expect(handler.heard).toHaveLength(3);
    },
  );

  it('with delivery latest hears the newest state of what changed before its turn, and nothing of what has gone', async () => {
    const { processor, settle } = processorFixture();
    const handler = recorder();
    const registration = processor.addHandler(handler, { delivery: 'latest' }, [
      version('a', '1'),
      version('b', '1'),
      version('c', '1', 'old'),
      version('d', '1'),
    ]);
    processor.distribute(update('a', '1', '2'), false);
    processor.distribute(update('a', '2', '3'), false);
    processor.distribute(remove('b', '4'), false);
    processor.distribute(Notification.delete(version('c', '1', 'old'), true, 0), false);
    processor.distribute(Notification.add(version('c', '5', 'new'), false, 0), false);
    await settle();
    expect(handler.heard).toEqual(['add a@3 initial', 'add c@5 initial', 'add d@1 initial']);
    expect(registration.hasSynced()).toBe(true);
    expect(registration.pending).toBe(0);
  });

  it('that is added by a filter, in the middle of a change, hears of that change once', async () => {
    const { processor, settle } = processorFixture();
    const late = recorder();
    let isAdded = false;
    const filter = () => {
      if (!isAdded) processor.addHandler(late, {}, [version('a', '2')]);
      isAdded = true;
      return true;
    };
    processor.addHandler(recorder(), { filter }, []);
    processor.distribute(update('a', '1', '2'), false);
    await settle();
    expect(late.heard).toEqual(['add a@2 initial']);
  });
});
