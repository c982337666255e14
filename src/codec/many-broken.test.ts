import { describe, expect, it } from 'vitest';
import { pods } from '../generated/api/core/v1.ts';
import { listBody } from './protobuf/protobuf-fixture.ts';
import { resourceCodec } from './resource-codec.ts';

const COUNT = 1_000;

async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

describe('a list of very many items that cannot be used', () => {
  it.each([
    ['JSON, numbers', 'application/json', jsonOf('1')],
    ['JSON, objects without a name', 'application/json', jsonOf('{"metadata":{}}')],
    [
      'protobuf',
      'application/vnd.kubernetes.protobuf',
      listBody('PodList', 'v1', '1', new Array(COUNT).fill(Buffer.from([0xff]))),
    ],
  ])('keeps an error for each of the first hundred alone: %s', async (_, contentType, body) => {
    const { broken } = await resourceCodec({ resource: pods }).readList(bodyOf(body), contentType);
    expect(broken).toHaveLength(COUNT);
    expect(new Set(broken.map(({ problem }) => problem)).size).toBe(101);
    expect(new Set(broken).size).toBe(101);
  });
});

function jsonOf(item: string): Buffer {
  const items = new Array(COUNT).fill(item).join(',');
  return Buffer.from(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[${items}]}`);
}
