import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { ApiServer } from '../apiserver.ts';
import { isKubernetesProtobuf, parseProtobufBody } from './protobuf-body.ts';

/** What `kubectl create configmap foo --from-literal=a=b` sends. */
const CONFIG_MAP = Buffer.from(
  '6b3873000a0f0a0276311209436f6e6669674d6170121d0a130a03666f6f12001a0022002a003200380042001206' +
    '0a0161120162' +
    '1a002200',
  'hex',
);

describe('a protobuf body', () => {
  it('of client-go becomes the JSON of the object', () => {
    expect(isKubernetesProtobuf(CONFIG_MAP)).toBe(true);
    expect(parseProtobufBody(CONFIG_MAP)).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'foo', creationTimestamp: null },
      data: { a: 'b' },
    });
  });

  it('is accepted, and answered in protobuf', async () => {
    await using server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    const response = await server.transport().request({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      headers: {
        'content-type': 'application/vnd.kubernetes.protobuf',
        accept: 'application/vnd.kubernetes.protobuf,application/json',
      },
      body: CONFIG_MAP,
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('application/vnd.kubernetes.protobuf');
    expect(parseProtobufBody(Buffer.concat(chunks))).toMatchObject({ kind: 'ConfigMap', data: { a: 'b' } });
  });

  it('that ends early is an error, not a crash', () => {
    for (let length = 4; length < CONFIG_MAP.length; length++) {
      try {
        parseProtobufBody(CONFIG_MAP.subarray(0, length));
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }
  });
});
