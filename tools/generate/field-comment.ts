import type { FieldSchema } from '../../src/api/type-schema.ts';

/**
 * What the tables know of a field, in a line: whether it is required, its default, the values of its type, and how a server merges it.
 * Empty when they know nothing. The zero value that OpenAPI declares for each required field says nothing, and is left out.
 */
export function fieldComment(field: FieldSchema, values: readonly string[]): string {
  const { required, default: fallback, listType, listMapKeys = [], mapType, patchStrategy, patchMergeKey } = field;
  const facts: string[] = [];
  if (required) facts.push('Required.');
  if (fallback !== undefined && !(required && isZero(fallback))) facts.push(`Default ${JSON.stringify(fallback)}.`);
  if (values.length > 0) facts.push(`Values: ${values.join(', ')}.`);
  if (listType) facts.push(`List type ${listType}${listMapKeys.length > 0 ? `, keys ${listMapKeys.join(', ')}` : ''}.`);
  if (mapType) facts.push(`Map type ${mapType}.`);
  if (patchStrategy)
    facts.push(`Patch strategy ${patchStrategy}${patchMergeKey ? `, merge key ${patchMergeKey}` : ''}.`);
  else if (patchMergeKey) facts.push(`Merge key ${patchMergeKey}.`);
  return facts.length === 0 ? '' : `  /** ${facts.join(' ').replaceAll('*/', '*\\/')} */\n`;
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}
