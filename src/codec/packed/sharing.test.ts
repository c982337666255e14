import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdentityScanner } from '../protobuf/identity-scanner.ts';
import { encodeMessage } from '../protobuf/message-encoder-fixture.ts';
import { messagePlan } from '../protobuf/message-plan.ts';
import { core } from '../protobuf/protobuf-fixture.ts';
import { WireReader } from '../protobuf/wire-reader.ts';
import type { ContentHash } from './object-hashes.ts';
import type { AnyObject } from './packed-fixture.ts';
import { ProtobufFormat } from './protobuf-format.ts';
import { SharedCached, SharedFamily, SharedProtobufKeeper } from './shared-cached.ts';
import { Sharing } from './sharing.ts';
import { Slabs } from './slabs.ts';

const plan = messagePlan(core('Pod'));
const type = { kind: 'Pod', apiVersion: 'v1' };

interface Wanted {
  readonly template: number;
  readonly name: number;
  readonly version: number;
  readonly state: number;
  readonly message?: string;
}

/** Pods of one template have all in common but who they are, where they run, and how they are. */
function podOf({ template, name, version, state, message }: Wanted): Buffer {
  return encodeMessage(core('Pod'), {
    metadata: {
      name: `web-${template}-${name}`,
      namespace: 'team',
      uid: `00000000-0000-4000-a000-${String(name).padStart(12, '0')}`,
      resourceVersion: String(version),
      labels: { app: `web-${template}`, tier: 'backend' },
      ownerReferences: [
        { kind: 'ReplicaSet', name: `web-${template}`, uid: `owner-${template}`, apiVersion: 'apps/v1' },
      ],
    },
    spec: {
      nodeName: `node-${name % 7}`,
      containers: Array.from({ length: 1 + (template % 3) }, (_, i) => ({
        name: `part-${i}`,
        image: `registry.example.com/web-${template}/part-${i}:1.${template}`,
        env: Array.from({ length: 12 }, (_, each) => ({ name: `SETTING_${each}`, value: `value ${template} ${each}` })),
      })),
    },
    status: {
      phase: ['Pending', 'Running', 'Failed'][state],
      message: state === 2 ? 'x'.repeat(40 * (name % 30)) : message,
      podIP: `10.0.${template}.${name % 256}`,
    },
  });
}

function storeOf(hash?: ContentHash) {
  const slabs = new Slabs();
  const sharing = new Sharing(slabs, hash);
  const reader = new WireReader();
  const format = new ProtobufFormat({ type, plan, reader });
  const options = { format, slabs, reduction: undefined, onDamage: undefined };
  const family = new SharedFamily<AnyObject>(options, sharing);
  const keeper = new SharedProtobufKeeper<AnyObject>({
    family,
    format,
    reader,
    scanner: new IdentityScanner(reader),
    dropManagedFields: true,
    filter: undefined,
    plan,
  });
  const take = (bytes: Buffer) => {
    const taken = keeper.take(bytes, 0, bytes.length, () => 'an object');
    if (!(taken instanceof SharedCached)) throw new Error('it is broken');
    return taken as SharedCached<AnyObject>;
  };
  return { slabs, sharing, keeper, take };
}

interface Held {
  readonly cached: SharedCached<AnyObject>;
  readonly bytes: Buffer;
}

function isWhole({ cached, bytes }: Held): boolean {
  return Buffer.from(cached.encoded().bytes).equals(bytes);
}

const lengthOf = (all: readonly Held[]) => all.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** Good ones, and those that say of many objects, or of all, that they are alike. */
const hashes = fc.constantFrom<ContentHash | undefined>(
  undefined,
  () => 7,
  () => 0,
  (_, start, end) => end - start,
);

const change = fc.record({
  template: fc.nat(4),
  name: fc.nat(25),
  state: fc.nat(2),
  kind: fc.constantFrom('put', 'put', 'put', 'put', 'remove', 'abandon', 'detach', 'again', 'read'),
});

describe('a shared store', () => {
  it('gives back every byte of every object, counts right, and keeps nothing when all have gone', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 250 }), hashes, (changes, hash) => {
        const { slabs, sharing, keeper, take } = storeOf(hash);
        const live = new Map<string, Held>();
        const dead: Held[] = [];
        changes.forEach(({ template, name, state, kind }, version) => {
          const key = `${template} ${name}`;
          const old = live.get(key);
          const bytes = podOf({ template, name, state, version });
          if (kind === 'put') {
            const cached = take(bytes);
            cached.stored();
            cached.stored();
            old?.cached.dropped();
            if (old) dead.push(old);
            live.set(key, { cached, bytes });
          } else if (kind === 'remove' && old) {
            old.cached.dropped();
            old.cached.dropped();
            live.delete(key);
            dead.push(old);
          } else if (kind === 'again') {
            const back = dead.pop();
            back?.cached.stored();
            if (back) live.set(`again ${version}`, back);
          } else if (kind === 'abandon' || kind === 'detach') {
            const cached = take(bytes);
            if (kind === 'detach') keeper.detach(cached);
            dead.push({ cached, bytes });
          } else if (old) {
            expect(old.cached.view().spec).toMatchObject({ nodeName: `node-${name % 7}` });
            expect(old.cached.labels).toEqual({ app: `web-${template}`, tier: 'backend' });
            expect(old.cached.valueAt({ segments: ['spec', 'nodeName'], isPlural: false })).toBe(`node-${name % 7}`);
          }
        });
        const all = [...live.values()];
        expect(slabs.liveBytes + sharing.savedBytes).toBe(lengthOf(all));
        expect([...all, ...dead].every(isWhole)).toBe(true);
        for (const { cached } of all) cached.dropped();
        expect([slabs.liveBytes, sharing.savedBytes]).toEqual([0, 0]);
        expect(slabs.heldBytes).toBeLessThanOrEqual(48 * 1024);
        expect([...all, ...dead].every(isWhole)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('takes as much as its templates, and little for each object, however often they change', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.infiniteStream(fc.nat(1 << 20)), (templates, random) => {
        const { slabs, sharing, take } = storeOf();
        const live: Held[] = [];
        for (let version = 0; version < 1_500; version++) {
          const at = version < 300 ? version : (random.next().value ?? 0) % 300;
          const bytes = podOf({ template: at % templates, name: at, state: 1, version });
          const cached = take(bytes);
          cached.stored();
          live[at]?.cached.dropped();
          live[at] = { cached, bytes };
          if (version % 300 > 0) continue;
          // Objects of one template differ in their names, versions, nodes and addresses.
          expect(slabs.liveBytes).toBeLessThan(templates * 2_000 + live.length * 180);
          expect(slabs.heldBytes).toBeLessThanOrEqual(1.1 * slabs.liveBytes + 64 * 1024);
        }
        expect(slabs.liveBytes + sharing.savedBytes).toBe(lengthOf(live));
        expect(live.every(isWhole)).toBe(true);
      }),
      { numRuns: 3 },
    );
  });

  it('follows a template that changes: what most objects have become is what is shared', () => {
    const { slabs, take } = storeOf();
    const live: Held[] = [];
    for (let name = 0; name < 100; name++) {
      const bytes = podOf({ template: 1, name, version: 1, state: 0 });
      live[name] = { cached: take(bytes), bytes };
      live[name]?.cached.stored();
    }
    const before = slabs.liveBytes;
    for (let name = 0; name < 100; name++) {
      const bytes = podOf({ template: 1, name, version: 2, state: 1, message: 'm'.repeat(2_000) });
      const cached = take(bytes);
      cached.stored();
      live[name]?.cached.dropped();
      live[name] = { cached, bytes };
    }
    expect(slabs.liveBytes).toBeLessThan(before + 5_000);
    expect(live.every(isWhole)).toBe(true);
  });

  it('keeps no template that no object is made from', async () => {
    const { sharing, take } = storeOf();
    const reference = new WeakRef(take(podOf({ template: 1, name: 1, version: 1, state: 1 })).template);
    for (let name = 0; name < 20; name++) {
      // Those that were put together last are remembered.
      sharing.assembler.bytesOf(take(podOf({ template: 2, name, version: 1, state: 1 })));
    }
    await nextTurn();
    collectGarbage();
    await nextTurn();
    expect(reference.deref()).toBeUndefined();
    const bytes = podOf({ template: 1, name: 2, version: 1, state: 1 });
    expect(isWhole({ cached: take(bytes), bytes })).toBe(true);
  });

  it('is read right by those who read several objects by turns, large ones too', () => {
    const { take } = storeOf();
    const large = (name: number) =>
      encodeMessage(core('Pod'), {
        metadata: { name: `large-${name}`, namespace: 'team' },
        status: { message: `${name}`.repeat(name % 2 === 0 ? 100_000 : 10) },
      });
    const bytes = Array.from({ length: 12 }, (_, name) =>
      name % 3 === 0 ? large(name) : podOf({ template: name % 2, name, version: name, state: 1 }),
    );
    const objects = bytes.map(take);
    const views = objects.map((object) => object.view());
    for (const [i, view] of views.toReversed().entries()) {
      const object = objects[objects.length - 1 - i];
      expect(view.metadata).toEqual(object?.view().metadata);
      expect(view.spec).toEqual(object?.view().spec);
      expect(view.status).toEqual(object?.view().status);
    }
    expect(objects.every((cached, i) => isWhole({ cached, bytes: bytes[i] as Buffer }))).toBe(true);
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose_gc');
  runInNewContext('gc')();
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
