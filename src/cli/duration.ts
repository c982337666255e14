import { UsageError } from './cli-error.ts';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** As Go writes durations (`30s`, `1m30s`, `500ms`), and plain seconds (`30`). Throws `UsageError`. */
export function parseDuration(flag: string, text: string): number {
  const wrong = () => new UsageError(`${flag} "${text}" is not a duration`, 'Write it as 30s, 1m30s or 500ms.');
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) throw wrong();
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS.get(unit ?? '') ?? 0);
  }
  if (!Number.isFinite(total)) throw wrong();
  return total;
}
