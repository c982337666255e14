/** A `Date` that keeps the microseconds of Kubernetes' `MicroTime`, and writes them. client-node's `V1MicroTime`, which writes zeros. */
export class MicroTime extends Date {
  readonly #micros: string;

  constructor(text: string) {
    super(text);
    this.#micros = (/\.(\d+)/.exec(text)?.[1] ?? '').slice(3, 6).padEnd(3, '0');
  }

  override toISOString(): string {
    return super.toISOString().replace('Z', `${this.#micros}Z`);
  }
}

/** As servers write it: a `Time` in seconds, a `MicroTime` with six decimals. What is not a date stays. */
export function fromDate(value: unknown, type: string): unknown {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) return value;
  const [seconds = '', decimals = ''] = value.toISOString().slice(0, -1).split('.');
  return type === 'Time' ? `${seconds}Z` : `${seconds}.${decimals.slice(0, 6).padEnd(6, '0')}Z`;
}
