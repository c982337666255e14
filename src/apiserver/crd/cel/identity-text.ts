import {
  type CelValue,
  Duration,
  type ListIdentity,
  ListValue,
  MapValue,
  ObjectValue,
  Timestamp,
  Uint,
} from './values.ts';

/** Equal for items of a list that count as the same one; `identity` says what is looked at. */
export function identityText(item: CelValue, identity: ListIdentity): string {
  if (identity.by !== 'keys') return valueText(item);
  return identity.keys.map((key) => valueText(item instanceof ObjectValue ? (item.get(key) ?? null) : null)).join();
}

/** Equal for equal values. */
function valueText(value: CelValue): string {
  if (value instanceof Uint) return `n${value.value}`;
  if (typeof value === 'bigint') return `n${value}`;
  if (typeof value === 'number') return Number.isInteger(value) ? `n${BigInt(value)}` : `n${value}`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (value instanceof Timestamp) return `t${value.nanos}`;
  if (value instanceof Duration) return `d${value.nanos}`;
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('hex')}`;
  if (value instanceof ListValue) return `[${value.items.map(valueText).join()}]`;
  if (value instanceof MapValue) {
    const entries = [...value.entries.values()].map(([key, item]) => `${valueText(key)}:${valueText(item)}`);
    return `{${entries.sort().join()}}`;
  }
  if (!(value instanceof ObjectValue)) return '?';
  const names = [...value.fields.keys()].sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${valueText(value.get(name) ?? null)}`).join()}}`;
}
