import { describe, expect, it } from 'vitest';
import { typeSchema } from '../../src/generated/type-schemas.ts';
import { fieldComment } from './field-comment.ts';

function commentOf(type: string, json: string, values: string[] = []): string {
  const field = typeSchema(`io.k8s.api.core.v1.${type}`)?.fields.find((candidate) => candidate.json === json);
  return field ? fieldComment(field, values).trim() : 'no such field';
}

describe('the comment of a field', () => {
  it('says what the tables know', () => {
    expect(commentOf('Container', 'name')).toBe('/** Required. */');
    expect(commentOf('ContainerPort', 'protocol', ['SCTP', 'TCP'])).toBe('/** Default "TCP". Values: SCTP, TCP. */');
    expect(commentOf('Container', 'ports')).toBe(
      '/** List type map, keys containerPort, protocol. Patch strategy merge, merge key containerPort. */',
    );
    expect(commentOf('PodSpec', 'nodeName')).toBe('');
  });
});
