import { describe, expect, it } from 'vitest';
import { negotiate } from './negotiation.ts';

const META = 'g=meta.k8s.io;v=v1';

describe('negotiate', () => {
  it.each([
    [undefined, 'json', 'none'],
    ['application/vnd.kubernetes.protobuf,application/json', 'json', 'none'],
    ['application/json;q=0.1,application/yaml', 'yaml', 'none'],
    [`application/json;as=Table;${META},application/json`, 'json', 'Table'],
    [`application/vnd.kubernetes.protobuf;as=Table;${META},application/json;as=Table;${META}`, 'json', 'Table'],
    [`application/json;as=Unknown;${META},application/json`, 'json', 'none'],
    [`application/json;as=PartialObjectMetadata;${META}`, 'json', 'PartialObjectMetadata'],
    ['text/html,*/*;q=0.8', 'json', 'none'],
  ])('answers %s with %s, transformed to %s', (accept, format, transform) => {
    expect(negotiate(accept, false)).toMatchObject({ format, transform });
  });

  it.each([
    ['application/vnd.kubernetes.protobuf', false],
    ['text/html', false],
    [`application/json;as=Unknown;${META}`, false],
    ['application/yaml', true],
  ])('refuses %s (watch: %s) with 406', (accept, watch) => {
    expect(() => negotiate(accept, watch)).toThrow(
      expect.objectContaining({ status: expect.objectContaining({ code: 406 }) }),
    );
  });
});
