import { describe, expect, it } from 'vitest';
import { negotiate, plainFormat } from './negotiation.ts';

const META = 'g=meta.k8s.io;v=v1';

const BUILT_IN = { watch: false, tables: true, protobuf: true };

describe('negotiate', () => {
  it.each([
    [undefined, 'json', 'none'],
    ['application/vnd.kubernetes.protobuf,application/json', 'protobuf', 'none'],
    ['application/vnd.kubernetes.protobuf;stream=watch,application/json', 'protobuf', 'none'],
    ['application/vnd.kubernetes.protobuf;stream=other,application/json', 'json', 'none'],
    ['application/json,application/vnd.kubernetes.protobuf', 'json', 'none'],
    [`application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;${META}`, 'protobuf', 'PartialObjectMetadata'],
    ['application/json;q=0.1,application/yaml', 'yaml', 'none'],
    [`application/json;as=Table;${META},application/json`, 'json', 'Table'],
    [`application/vnd.kubernetes.protobuf;as=Table;${META},application/json;as=Table;${META}`, 'json', 'Table'],
    [`application/json;as=Unknown;${META},application/json`, 'json', 'none'],
    [`application/json;as=PartialObjectMetadata;${META}`, 'json', 'PartialObjectMetadata'],
    ['text/html,*/*;q=0.8', 'json', 'none'],
  ])('answers %s with %s, transformed to %s', (accept, format, transform) => {
    expect(negotiate(accept, BUILT_IN)).toMatchObject({ format, transform });
  });

  it.each([
    ['application/vnd.kubernetes.protobuf,application/json', 'json', 'none'],
    [
      `application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;${META},application/json`,
      'protobuf',
      'PartialObjectMetadataList',
    ],
  ])('answers %s for custom resources with %s, transformed to %s', (accept, format, transform) => {
    expect(negotiate(accept, { ...BUILT_IN, protobuf: false })).toMatchObject({ format, transform });
  });

  it.each([
    ['text/html', {}],
    ['application/*', {}],
    ['application/vnd.kubernetes.protobuf', { protobuf: false }],
    [`application/vnd.kubernetes.protobuf;as=Table;${META}`, {}],
    [`application/json;as=Table;${META}`, { tables: false }],
    [`application/json;as=Unknown;${META}`, {}],
    ['application/yaml', { watch: true }],
  ])('refuses %s with 406 where the endpoint is %o', (accept, endpoint) => {
    expect(() => negotiate(accept, { ...BUILT_IN, ...endpoint })).toThrow(
      expect.objectContaining({ status: expect.objectContaining({ code: 406 }) }),
    );
  });
});

describe('plainFormat', () => {
  it.each([
    [undefined, 'json'],
    ['application/vnd.kubernetes.protobuf', 'protobuf'],
    [`application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;${META},application/yaml`, 'yaml'],
    ['text/html', 'json'],
  ])('answers %s with %s', (accept, format) => {
    expect(plainFormat(accept)).toBe(format);
  });
});
