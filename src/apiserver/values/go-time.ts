const LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

export type TimeReading = { readonly value: string } | { readonly problem: string };

/** Reads `metav1.Time`: RFC 3339, whose fraction of a second is dropped. */
export function readTime(text: string): TimeReading {
  return new TimeText(text, LAYOUT).read(false);
}

/** Reads `metav1.MicroTime`: the same with exactly six digits after the point. */
export function readMicroTime(text: string): TimeReading {
  return new TimeText(text, MICRO_LAYOUT).read(true);
}

/** What Go's `time.Parse` says about a text; thrown inside this file alone. */
class Complaint extends Error {}

/** Takes a text apart as Go's `time.Parse` does, from left to right, and complains in its words. */
class TimeText {
  readonly #text: string;
  readonly #layout: string;
  #rest: string;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  read(micros: boolean): TimeReading {
    try {
      const year = this.#digits('2006', 4, 4);
      this.#literal('-');
      const month = this.#number('01', 'month', 1, 12);
      this.#literal('-');
      const day = this.#digits('02', 2, 2);
      this.#literal('T');
      const hour = this.#number('15', 'hour', 0, 23, 1);
      this.#literal(':');
      const minute = this.#number('04', 'minute', 0, 59);
      this.#literal(':');
      const second = this.#number('05', 'second', 0, 59);
      const fraction = micros ? this.#take(/^[.,](\d{6})/, '.000000') : '';
      if (!micros) this.#drop(/^[.,]\d+/);
      const offsetMinutes = this.#zone();
      if (this.#rest !== '') throw this.#outside(`extra text: ${JSON.stringify(this.#rest)}`);
      const date = new Date(0);
      date.setUTCFullYear(year, month - 1, day);
      if (day < 1 || date.getUTCDate() !== day) throw this.#outside('day out of range');
      date.setUTCHours(hour, minute - offsetMinutes, second);
      const seconds = date.toISOString().replace(/\.\d+Z$/, '');
      return { value: micros ? `${seconds}.${fraction}Z` : `${seconds}Z` };
    } catch (error) {
      if (error instanceof Complaint) return { problem: error.message };
      throw error;
    }
  }

  #literal(char: string): void {
    if (!this.#rest.startsWith(char)) throw this.#unlike(char);
    this.#rest = this.#rest.slice(1);
  }

  #digits(element: string, least: number, most: number): number {
    return Number(this.#take(new RegExp(`^(\\d{${least},${most}})`), element));
  }

  #number(element: string, name: string, least: number, most: number, minDigits = 2): number {
    const value = this.#digits(element, minDigits, 2);
    if (value < least || value > most) throw this.#outside(`${name} out of range`);
    return value;
  }

  #zone(): number {
    if (this.#drop(/^Z/)) return 0;
    const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)/.exec(this.#rest) ?? [];
    if (sign === undefined) throw this.#unlike('Z07:00');
    if (Number(hours) > 24) throw this.#outside('time zone offset hour out of range');
    if (Number(minutes) > 60) throw this.#outside('time zone offset minute out of range');
    this.#rest = this.#rest.slice('+00:00'.length);
    const offset = Number(hours) * 60 + Number(minutes);
    return sign === '-' ? -offset : offset;
  }

  /** The first group of a pattern at the front, which is taken off. */
  #take(pattern: RegExp, element: string): string {
    const [all, value] = pattern.exec(this.#rest) ?? [];
    if (all === undefined || value === undefined) throw this.#unlike(element);
    this.#rest = this.#rest.slice(all.length);
    return value;
  }

  #drop(pattern: RegExp): boolean {
    const before = this.#rest;
    this.#rest = before.replace(pattern, '');
    return this.#rest.length < before.length;
  }

  #unlike(element: string): Complaint {
    const [text, rest] = [JSON.stringify(this.#text), JSON.stringify(this.#rest)];
    return new Complaint(`parsing time ${text} as "${this.#layout}": cannot parse ${rest} as "${element}"`);
  }

  #outside(why: string): Complaint {
    return new Complaint(`parsing time ${JSON.stringify(this.#text)}: ${why}`);
  }
}
