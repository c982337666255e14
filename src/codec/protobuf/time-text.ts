/* How Go writes times and durations as text. */

const SECONDS_A_DAY = 86_400;
const TWO_DIGITS = Array.from({ length: 32 }, (_, value) => String(value).padStart(2, '0'));

/** The times of objects that were made together are the same. */
const TIMES = 256;
const timeSeconds = new Float64Array(TIMES).fill(Number.NaN);
const timeTexts: string[] = new Array<string>(TIMES).fill('');

/** RFC 3339 in UTC, `2006-01-02T15:04:05Z`, of a Unix time. */
export function timeText(seconds: number): string {
  const slot = seconds & (TIMES - 1);
  if (timeSeconds[slot] !== seconds) {
    timeSeconds[slot] = seconds;
    timeTexts[slot] = flatTime(seconds);
  }
  return timeTexts[slot] as string;
}

/** The text that was written last, whose date is often that of the next one. */
let scratch = Buffer.alloc(0);
const TIME_LENGTH = 'T15:04:05Z'.length;
let scratchDay = Number.NaN;

/** As one piece: a text that is joined from parts takes several times the memory, for as long as somebody holds it. */
function flatTime(seconds: number): string {
  const day = Math.floor(seconds / SECONDS_A_DAY);
  if (day !== scratchDay) {
    scratchDay = day;
    const date = dateOf(day);
    if (date.length + TIME_LENGTH === scratch.length) scratch.write(date, 'latin1');
    else scratch = Buffer.from(`${date}T00:00:00Z`);
  }
  const rest = seconds - day * SECONDS_A_DAY;
  const end = scratch.length;
  writeTwo(end - 9, Math.floor(rest / 3600));
  writeTwo(end - 6, Math.floor((rest % 3600) / 60));
  writeTwo(end - 3, rest % 60);
  return scratch.toString('latin1');
}

function writeTwo(at: number, value: number): void {
  const tens = Math.floor(value / 10);
  scratch[at] = 0x30 + tens;
  scratch[at + 1] = 0x30 + value - 10 * tens;
}

/** Of a day counted from 1970-01-01, in the Gregorian calendar before its time too, for any year. */
function dateOf(day: number): string {
  // Counted in years that begin in March and eras of 400 years, every one of which has the same number of days.
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const sign = year < 0 ? '-' : '';
  return `${sign}${String(Math.abs(year)).padStart(4, '0')}-${two(month)}-${two(dayOfMonth)}`;
}

function two(value: number): string {
  return TWO_DIGITS[value] as string;
}

/** With six decimals; what is below a microsecond is cut off. */
export function microTimeText(seconds: number, nanos: number): string {
  const micros = Math.trunc(nanos / 1000);
  const carried = Math.floor(micros / 1_000_000);
  return `${timeText(seconds + carried).slice(0, -1)}.${String(micros - carried * 1_000_000).padStart(6, '0')}Z`;
}

/** `1h2m0.5s`, `1.5ms`, `0s`. */
export function durationText(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}µs`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 6)}ms`;
  const minutes = size / 60_000_000_000n;
  const seconds = `${decimal(size % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

/** The number divided by 10^places, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  const whole = digits.slice(0, -places);
  const fraction = digits.slice(-places).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
