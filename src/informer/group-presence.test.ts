import { describe, expect, it } from 'vitest';
import { defineResource } from '../api/resource.ts';
import type { Transport } from '../api/transport.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { clusterFixture } from './cluster-fixture.ts';
import { GroupPresence } from './group-presence.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

const cronTabs = defineResource({ group: 'example.com', version: 'v1', plural: 'crontabs', kind: 'CronTab' });
const others = defineResource({ group: 'example.com', version: 'v1', plural: 'others', kind: 'Other' });

function scripted(answers: { status: number; body: string }[]) {
  const asked: string[] = [];
  const transport: Transport = {
    async request({ path }) {
      asked.push(path);
      const { status, body } = answers[Math.min(asked.length, answers.length) - 1] ?? { status: 500, body: '' };
      return {
        status,
        headers: new Map(),
        body: (async function* () {
          yield Buffer.from(body);
        })(),
      };
    },
    close: async () => {},
  };
  return { transport, asked };
}

const found = {
  status: 200,
  body: JSON.stringify({ resources: [{ name: 'crontabs', namespaced: true }, { name: 'crontabs/status' }] }),
};

describe('GroupPresence', () => {
  it.each([undefined, 60_000])(
    'asks once in five seconds for all resources of a group version, also when goneCheckMs is %s',
    async (checkMs) => {
      const { transport, asked } = scripted([found]);
      const clock = new FakeClock();
      const presence = new GroupPresence(transport, clock, checkMs);
      expect(await Promise.all([presence.find(cronTabs), presence.find(others)])).toEqual([
        { namespaced: true },
        undefined,
      ]);
      expect(asked).toEqual(['/apis/example.com/v1']);
      await clock.advance(5_000);
      await presence.find(cronTabs);
      expect(asked).toHaveLength(2);
    },
  );

  it('takes a 404 of the group for an answer, and anything else for none', async () => {
    const { transport } = scripted([
      { status: 404, body: 'not found' },
      { status: 503, body: '' },
    ]);
    const clock = new FakeClock();
    const presence = new GroupPresence(transport, clock);
    expect(await presence.find(cronTabs)).toBeUndefined();
    await clock.advance(5_000);
    await expect(presence.find(cronTabs)).rejects.toThrow('GET /apis/example.com/v1: 503');
  });

  it.each(['<html>hunter2</html>', 'null'])('names what it asked for when the answer is %s', async (body) => {
    const presence = new GroupPresence(scripted([{ status: 200, body }]).transport, new FakeClock());
    await expect(presence.find(cronTabs)).rejects.toMatchObject({
      name: 'TidewatchError',
      kind: 'protocol',
      message: 'GET /apis/example.com/v1: the answer is not a discovery document; check what serves this address',
    });
  });

  it('refuses a document that is too large', async () => {
    const presence = new GroupPresence(
      scripted([{ status: 200, body: ' '.repeat(2 ** 25) }]).transport,
      new FakeClock(),
    );
    await expect(presence.find(cronTabs)).rejects.toMatchObject({ name: 'TidewatchError', kind: 'tooLarge' });
  });

  it('does not keep a failure: who asks next may have better luck', async () => {
    const { transport, asked } = scripted([{ status: 503, body: '' }, found]);
    const presence = new GroupPresence(transport, new FakeClock());
    const both = [presence.find(cronTabs), presence.find(others)];
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toHaveLength(1);
    expect(await presence.find(cronTabs)).toEqual({ namespaced: true });
  });

  it('asks again for who needs a new answer, once for all who ask meanwhile', async () => {
    const { transport, asked } = scripted([found]);
    const presence = new GroupPresence(transport, new FakeClock());
    await presence.find(cronTabs);
    await Promise.all([presence.find(cronTabs, { isNew: true }), presence.find(others, { isNew: true })]);
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['factory', 2_000, 5],
    ['informer', 2_000, 5],
    ['factory', 0, 10],
  ])(
    'is asked as often as goneCheckMs of a %s says, %d, and once a second at most',
    async (owner, goneCheckMs, times) => {
      await using fixture = await clusterFixture();
      const { cluster, requests } = fixture;
      const clock = new FakeClock();
      const options = { clock, goneCheckMs, random: () => 0 };
      const informer =
        owner === 'factory'
          ? new SharedInformerFactory(cluster, options).for(cronTabs).informer()
          : new SharedIndexInformer({ cluster, resource: cronTabs, ...options });
      const running = informer.run();
      await clock.advance(0);
      const asked = () => requests.filter((line) => line === 'GET /apis/example.com/v1').length;
      const before = asked();
      await clock.advance(10_000);
      expect(asked() - before).toBe(times);
      await informer.stop();
      await running;
    },
  );
});
