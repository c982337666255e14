import { describe, expect, it } from 'vitest';
import { configMaps, namespaces } from '../generated/api/core/v1.ts';
import type { ReconcileContext } from './controller.ts';
import { controllerFixture, type Site, sites } from './controller-fixture.ts';

type Context = ReconcileContext<Site>;
type Fixture = Awaited<ReturnType<typeof controllerFixture>>;

/** Calls back with the context of the first run about a Site `a`. */
async function inRun(body: (context: Context, fixture: Fixture) => unknown) {
  const fixture = await controllerFixture();
  await fixture.defineSites();
  await fixture.createSite('a', { color: 'red' });
  fixture.manager
    .controller('site')
    .for(sites)
    .reads(configMaps)
    .reads(namespaces)
    .reconcile(async (context) => {
      await body(context, fixture);
    });
  await fixture.start();
  return fixture;
}

describe('the context of a run', () => {
  it('gives everything to the rest of a destructuring, too', async () => {
    let rest: Partial<Context> = {};
    await using _ = await inRun(({ object: _object, ...others }) => {
      rest = others;
    });
    expect(Object.keys(rest).sort()).toEqual(
      [
        'causes',
        'client',
        'key',
        'lister',
        'listerOfAll',
        'logger',
        'name',
        'namespace',
        'own',
        'record',
        'signal',
      ].sort(),
    );
    expect(rest.signal).toBeInstanceOf(AbortSignal);
    expect(rest.logger).toMatchObject({ info: expect.any(Function) });
  });

  it('has one signal, which has aborted when it is asked for after the abort', async () => {
    let context: Context | undefined;
    await using fixture = await inRun(async (given, { clock }) => {
      context = given;
      await clock.sleep(1_000);
    });
    fixture.abort();
    await fixture.clock.advance(0);
    expect(context?.signal.aborted).toBe(true);
    expect(context?.signal.reason).toMatchObject({ kind: 'stopped', message: 'the manager stops' });
    expect(context?.signal).toBe(context?.signal);
    await fixture.clock.advance(1_000);
  });

  it('writes as its controller, into the namespace of the object, and reads there', async () => {
    let listed: unknown;
    await using fixture = await inRun(async ({ client, own, lister, listerOfAll }) => {
      await client(configMaps).apply(own({ metadata: { name: 'made' }, data: { a: '1' } }));
      listed = [lister(configMaps).list().length, listerOfAll(configMaps).list().length];
    });
    await fixture.admin.client(namespaces).create({ metadata: { name: 'other' } });
    await fixture.admin.client(configMaps, { namespace: 'other' }).create({ metadata: { name: 'elsewhere' } });
    await fixture.clock.advance(0);
    const made = await fixture.admin.client(configMaps, { namespace: 'default' }).get('made');
    expect(made.metadata?.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)).toEqual([
      'site Apply',
    ]);
    expect(made.metadata?.ownerReferences).toMatchObject([{ kind: 'Site', name: 'a', controller: true }]);
    await fixture.admin.client(sites).patch('a', { spec: { color: 'blue' } });
    await fixture.clock.advance(0);
    expect(listed).toEqual([1, 2]);
  });

  it('refuses to own a second time, in another namespace, and what has no namespace, and writes nothing then', async () => {
    const messages: string[] = [];
    const refused = async (attempt: () => unknown) => {
      try {
        await attempt();
      } catch (error) {
        messages.push(String(error));
      }
    };
    await using fixture = await inRun(async ({ own, client }) => {
      const other = { apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'u', controller: true };
      await refused(() => own({ metadata: { name: 'child', ownerReferences: [other] } }));
      await refused(() => own({ metadata: { name: 'child', namespace: 'other' } }));
      await refused(() => client(namespaces).create(own({ metadata: { name: 'child' } })));
      await refused(() => client(namespaces).apply(own({ metadata: { name: 'child' } })));
      await client(namespaces).apply({ metadata: { name: 'free' } });
    });
    expect(messages).toEqual([
      expect.stringMatching(/^TypeError: Site default\/a cannot become the controller .* because Secret s controls it/),
      expect.stringMatching(/^TypeError: Site default\/a is namespaced and cannot own .* in another namespace/),
      expect.stringMatching(
        /^TypeError: Site default\/a is namespaced and cannot own the Namespace child, which is clust/,
      ),
      expect.stringMatching(
        /^TypeError: Site default\/a is namespaced and cannot own the Namespace child, which is clust/,
      ),
    ]);
    const { items } = await fixture.admin.client(namespaces).list();
    expect(items.map(({ metadata }) => metadata?.name)).not.toContain('child');
    expect(items.map(({ metadata }) => metadata?.name)).toContain('free');
  });

  it('names controller and key in its log, and refuses to own anything for an object that is gone', async () => {
    await using fixture = await inRun(({ object, own, logger }) => {
      if (object) logger.warn('look here');
      else own({ metadata: { name: 'child' } });
    });
    expect(fixture.logger.lines).toEqual(['warn controller site, default/a: look here']);
    await fixture.admin.client(sites).delete('a');
    await fixture.clock.advance(0);
    expect(fixture.logger.lines[1]).toMatch(
      /^error controller site: default\/a failed .*Site default\/a is gone.*Return early when `object` is undefined/,
    );
  });
});
