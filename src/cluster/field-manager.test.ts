import { describe, expect, it } from 'vitest';
import { configMaps } from '../generated/api/core/v1.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';

describe('two programs that apply to one object', () => {
  it('both keep their fields, and a conflict names the other', async () => {
    await using server = await ApiServer.start({ listen: false, logger: silentLogger });
    const metadata = { name: 'shared' };
    const one = server.cluster({ fieldManager: 'one' }).client(configMaps);
    const two = server.cluster().client(configMaps, { fieldManager: 'two' });
    await one.apply({ metadata, data: { a: '1' } });
    await two.apply({ metadata, data: { b: '2' } });
    await one.apply({ metadata, data: { a: '3' } });
    expect((await one.get('shared')).data).toEqual({ a: '3', b: '2' });
    await expect(two.apply({ metadata, data: { a: '4', b: '2' } })).rejects.toMatchObject({
      code: 409,
      message: expect.stringContaining('one'),
    });
    const { metadata: last } = await one.apply({ metadata });
    expect((await one.get('shared')).data).toEqual({ b: '2' });
    expect(last?.managedFields?.map(({ manager }) => manager)).toEqual(['two']);
  });
});
