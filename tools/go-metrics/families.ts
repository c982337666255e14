/** A metric as it is scraped, with all its series. */
export interface Family {
  readonly type: string;
  /** The names of its labels, without `le`. */
  readonly labels: ReadonlySet<string>;
  /** Of a histogram, in the very words: Prometheus adds up series of different programs by them. */
  readonly bounds: readonly string[];
  /** Of a counter or a gauge: the sum of its series. */
  readonly total: number;
}

const TYPE = /^# TYPE (\S+) (\S+)$/;
const SAMPLE = /^([\w:]+)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Reads the text format of Prometheus. */
export function familiesOf(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, { type: string; labels: Set<string>; bounds: Set<string>; total: number }>();
  for (const line of text.split('\n')) {
    const [, declared, type] = TYPE.exec(line) ?? [];
    if (declared !== undefined && type !== undefined) {
      families.set(declared, { type, labels: new Set(), bounds: new Set(), total: 0 });
      continue;
    }
    const [, name = '', labelText = '', value = ''] = SAMPLE.exec(line) ?? [];
    const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
    if (family === undefined) continue;
    for (const [, label = '', of = ''] of labelText.matchAll(LABEL)) {
      if (label !== 'le') family.labels.add(label);
      else family.bounds.add(of);
    }
    if (families.has(name)) family.total += Number(value);
  }
  return new Map([...families].map(([name, { bounds, ...family }]) => [name, { ...family, bounds: [...bounds] }]));
}
