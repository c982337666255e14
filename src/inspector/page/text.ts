const WHOLE = new Intl.NumberFormat('en');
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

export function count(value: number): string {
  return WHOLE.format(Math.round(value));
}

/** A number a second. */
export function rate(value: number): string {
  return `${value === 0 || value >= 10 ? count(value) : value.toFixed(1)}/s`;
}

export function bytes(value: number): string {
  let unit = 0;
  let left = value;
  while (left >= 1_000 && unit < UNITS.length - 1) {
    left /= 1_000;
    unit++;
  }
  return `${unit === 0 || left >= 100 ? Math.round(left) : left.toFixed(1)} ${UNITS[unit]}`;
}

/** From milliseconds. */
export function duration(ms: number): string {
  if (ms < 1) return `${Math.max(0, Math.round(ms * 1_000))} µs`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} m ${Math.floor(ms / 1_000) % 60} s`;
  if (ms < 172_800_000) return `${Math.floor(ms / 3_600_000)} h`;
  return `${Math.floor(ms / 86_400_000)} d`;
}

/** Of the day, where the reader is. */
export function clockTime(ms: number): string {
  const date = new Date(ms);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function ageOf(created: string, nowMs: number): string {
  const since = Date.parse(created);
  return Number.isNaN(since) ? '' : duration(Math.max(1_000, nowMs - since)).replace(/\.\d s/, ' s');
}

/** One thing, two things. */
export function many(number: number, one: string, several = `${one}s`): string {
  return `${count(number)} ${Math.round(number) === 1 ? one : several}`;
}
