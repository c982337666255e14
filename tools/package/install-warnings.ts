interface InstalledPackage {
  readonly deprecated?: string;
  readonly engines?: { readonly node?: string };
  /** npm leaves out one that does not fit, and says nothing. */
  readonly optional?: boolean;
}

/** What `npm ci` warns of on this version of Node: packages that want another one, and packages that are deprecated. */
export function installWarnings(packages: Readonly<Record<string, InstalledPackage>>, node: string): string[] {
  return Object.entries(packages).flatMap(([folder, { deprecated, engines, optional = false }]) => {
    const wanted = engines?.node ?? '*';
    return [
      ...(deprecated === undefined ? [] : [`${folder} is deprecated: ${deprecated}`]),
      ...(optional || satisfies(node, wanted) ? [] : [`${folder} wants Node ${wanted}, and gets ${node}`]),
    ];
  });
}

/** As far as the engines of packages go: `^20.19.0 || >=22.12.0`, `>= 18`, `4.x`, `*`. Throws for what it cannot read. */
export function satisfies(version: string, range: string): boolean {
  return range.split('||').some((set) => {
    const comparators = set.trim().replace(/([<>=^~])\s+/g, '$1');
    return comparators.split(/\s+/).every((comparator) => meets(numbersOf(version), comparator));
  });
}

function meets(version: readonly number[], comparator: string): boolean {
  const [, operator = '', text] = /^(>=|<=|>|<|\^|~|=)?v?([\dx*.]*)$/.exec(comparator) ?? [];
  if (text === undefined) throw new Error(`cannot read the range "${comparator}"`);
  const wanted = numbersOf(text);
  const order = compare(version, wanted);
  if (operator === '>=') return order >= 0;
  if (operator === '<=') return order <= 0;
  if (operator === '>') return order > 0;
  if (operator === '<') return order < 0;
  const fixed = operator === '^' ? 1 : operator === '~' ? 2 : wanted.length;
  return order >= 0 && compare(version.slice(0, fixed), wanted.slice(0, fixed)) === 0;
}

/** Those before the first that may be any. */
function numbersOf(version: string): number[] {
  const parts = version.split('.');
  const open = parts.findIndex((part) => !/^\d+$/.test(part));
  return parts.slice(0, open < 0 ? undefined : open).map(Number);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, wanted] of b.entries()) {
    const difference = (a[index] ?? 0) - wanted;
    if (difference !== 0) return difference;
  }
  return 0;
}
