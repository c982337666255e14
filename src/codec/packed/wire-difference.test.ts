import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messagePlan } from '../protobuf/message-plan.ts';
import { bytesField, core, sampleOf } from '../protobuf/protobuf-fixture.ts';
import { RecipeReader } from './recipe.ts';
import { type Stretch, WireDifference } from './wire-difference.ts';

const plan = messagePlan(core('Pod'));
const { message } = sampleOf('Pod');

function stretch(bytes: Buffer): Stretch {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

const difference = new WireDifference();

/** The recipe for `object` from `base`, which lies among other bytes. */
function recipeOf(object: Buffer, base: Buffer, limit = Number.POSITIVE_INFINITY): Buffer | undefined {
  const around = Buffer.concat([Buffer.alloc(3, 1), base, Buffer.alloc(5, 1)]);
  const length = difference.find(plan, stretch(object), object.length, stretch(around), 3, 3 + base.length, limit);
  return length < 0 ? undefined : Buffer.from(difference.recipe.bytes.subarray(0, length));
}

function follow(recipe: Buffer, base: Buffer): Buffer {
  const reader = new RecipeReader();
  const length = reader.open(recipe, 0);
  const out = Buffer.alloc(length + 2, 0xee);
  reader.make(base, 0, out, 1, length);
  expect([out[0], out[length + 1]]).toEqual([0xee, 0xee]);
  return out.subarray(1, length + 1);
}

/** Another object, with bytes changed, lost and put in. */
const changed = fc
  .array(fc.tuple(fc.nat(message.length), fc.nat(6), fc.uint8Array({ maxLength: 200 })), { maxLength: 6 })
  .map((changes) => {
    let bytes = message;
    for (const [at, lost, more] of changes)
      bytes = Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at + lost)]);
    return bytes;
  });
const anyBytes = fc.oneof(
  changed,
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.constant(message),
);

describe('WireDifference', () => {
  it('gives back every object from every other, whatever their bytes are', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, (object, base) => {
        const recipe = recipeOf(object, base);
        expect(recipe && follow(recipe, base).equals(object)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes a few bytes for each value in which two objects differ, however long they are', () => {
    const pod = (name: string, ip: string) =>
      Buffer.concat([
        bytesField(
          1,
          bytesField(1, name),
          bytesField(3, 'team'),
          bytesField(11, bytesField(1, 'app'), bytesField(2, 'web')),
        ),
        bytesField(
          2,
          ...Array.from({ length: 40 }, (_, i) => bytesField(2, bytesField(1, `part-${i}`), bytesField(2, 'image'))),
        ),
        bytesField(3, bytesField(1, 'Running'), bytesField(6, ip)),
      ]);
    const base = pod('web-1', '10.0.0.1');
    const same = recipeOf(base, base);
    expect(same?.length).toBeLessThanOrEqual(6);
    const other = pod('web-12345', '10.0.11.200');
    const recipe = recipeOf(other, base);
    expect(recipe && follow(recipe, base).equals(other)).toBe(true);
    expect(recipe?.length).toBeLessThan(50);
  });

  it("gives up when more bytes than allowed are the object's own", () => {
    const base = bytesField(1, bytesField(1, 'a'));
    const object = bytesField(1, bytesField(1, 'b'.repeat(100)));
    expect(recipeOf(object, base, 90)).toBeUndefined();
    expect(recipeOf(object, base, 110)).toBeDefined();
  });

  it('finds elements of lists and fields that only one of two has', () => {
    const labels = (...names: string[]) =>
      names.map((name) => bytesField(11, bytesField(1, name), bytesField(2, 'x'.repeat(50))));
    const base = bytesField(1, bytesField(1, 'a'), ...labels('b', 'c', 'd', 'e'));
    const object = bytesField(1, bytesField(1, 'a'), bytesField(5, 'uid'), ...labels('b', 'bb', 'c', 'd', 'e'));
    const recipe = recipeOf(object, base);
    expect(recipe && follow(recipe, base).equals(object)).toBe(true);
    expect(recipe?.length).toBeLessThan(80);
    const back = recipeOf(base, object);
    expect(back && follow(back, object).equals(base)).toBe(true);
    expect(back?.length).toBeLessThan(20);
  });
});
