import { isIPv6 } from 'node:net';

/**
 * The formats of strings that the real server checks (the rest it ignores), by their names without dashes:
 * `date-time` is `datetime`.
 */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['bsonobjectid', matches(/^[0-9a-fA-F]{24}$/)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', (text: string) => isIpv4(text)],
  ['ipv6', (text: string) => isIPv6(text) && !text.includes('%')],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', (text: string) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text: string) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', isRgbColor],
  ['byte', matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text: string) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text)],
  [
    'k8slongname',
    (text: string) =>
      text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
  ],
]);

/** Undefined for a format that the server does not know. */
export function stringFormat(format: string): ((text: string) => boolean) | undefined {
  return FORMATS.get(format.replaceAll('-', ''));
}

/** The format as far as the server heeds it on a value of the type; "" otherwise. */
export function heededFormat(type: string, format: string): string {
  if (type === '' || type === 'string') return stringFormat(format) ? format : '';
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : '';
  if (type === 'number') return format === 'float' || format === 'double' ? format : '';
  return '';
}

function matches(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

function isRequestUri(text: string): boolean {
  if (text.startsWith('/')) return !/\p{Cc}/u.test(text);
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) || /\p{Cc}/u.test(text)) return false;
  return !text.includes('://') || URL.canParse(text);
}

function isEmail(text: string): boolean {
  const address = /^(?:[^<>]*<([^<>]+)>|(.+))$/s.exec(text.trim());
  const [local = '', domain = '', ...more] = (address?.[1] ?? address?.[2] ?? '').split('@');
  return more.length === 0 && /^[^\s"(),:;<>[\]\\]+$/.test(local) && /^[^\s"(),:;<>\\]+$/.test(domain);
}

const HOSTNAME =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;

function isHostname(text: string): boolean {
  return Buffer.byteLength(text) <= 255 && HOSTNAME.test(text) && text.split('.').every((part) => part.length <= 63);
}

/** Leading zeros are tolerated, as the server does. */
function isIpv4(text: string): boolean {
  const parts = text.split('.');
  if (text.includes(':')) return text.includes('.') && isIPv6(text) && !text.includes('%');
  return parts.length === 4 && parts.every((part) => /^\d{1,}$/.test(part) && Number(part) <= 255);
}

function isCidr(text: string): boolean {
  const [address = '', length, ...more] = text.split('/');
  if (length === undefined || more.length > 0 || !/^\d{1,3}$/.test(length)) return false;
  if (address.includes(':')) return isIPv6(address) && !address.includes('%') && Number(length) <= 128;
  return isIpv4(address) && Number(length) <= 32;
}

function isMac(text: string): boolean {
  const pairs = /^[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}(?:(?:\1[0-9a-f]{2}){2}|(?:\1[0-9a-f]{2}){14})?$/i;
  return pairs.test(text) || /^[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}(?:\.[0-9a-f]{4}|(?:\.[0-9a-f]{4}){7})?$/i.test(text);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (index + 1) * (digit === 'X' ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!CREDIT_CARD.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const part = '\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*';
  return new RegExp(`^rgb\\(${part},${part},${part}\\)$`).test(text);
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  const [date = '', time, ...more] = text.toLowerCase().split('t');
  if (time === undefined || more.length > 0 || !isDate(date)) return false;
  const [, hour = '', minute = '', second = ''] =
    /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(time) ?? [];
  return hour !== '' && hour <= '23' && minute <= '59' && second <= '59';
}

const DURATION_UNITS = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
];

/** Go's own durations (`1h30m`), or a number with a unit anywhere in the text (`3 days`). */
function isDuration(text: string): boolean {
  if (/^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  return [...text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)].some(([, , unit = '']) => {
    const word = unit.toLowerCase();
    return DURATION_UNITS.some((names) => names.includes(word) || word.startsWith(names.at(-1) ?? ''));
  });
}
