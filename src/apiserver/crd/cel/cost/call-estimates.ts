import type { Expression } from '../expression.ts';
import type { CelType } from '../types.ts';
import { fixed, PATTERN, plus, product, type Size, scaled, TRAVERSAL, times, UNKNOWN } from './size-estimate.ts';

/** An argument of a call, or its receiver, with what is known of its size. */
export interface Operand {
  readonly expression: Expression;
  readonly type: CelType;
  readonly size: Size;
  /** Of the items of a list; unknown for other values. */
  readonly itemSize: Size;
}

/** The most that a call costs, without its arguments, and the size of what it gives where the call tells. */
export interface CallEstimate {
  readonly cost: number;
  readonly size?: Size;
}

type Estimate = (target: Operand | undefined, args: readonly Operand[]) => CallEstimate | undefined;

const NOMINAL: Estimate = () => ({ cost: 1 });
const LIST = 10;
const ADDRESS: Size = { min: 4, max: 16 };
const LONGEST_FORMAT = 64;
const LONGEST_NAME_PATTERN = 128;

const ofTarget = (estimate: (target: Operand, args: readonly Operand[]) => CallEstimate | undefined): Estimate => {
  return (target, args) => (target === undefined ? undefined : estimate(target, args));
};
/** Of a function whose first argument is a text that is gone through. */
const traversal: Estimate = (_, [text]) =>
  text === undefined ? undefined : { cost: scaled(text.size.max, TRAVERSAL) };
const rewriting = ofTarget(({ size }) => ({ cost: scaled(size.max, TRAVERSAL), size }));
const listTraversal = ofTarget(({ type, size, itemSize }) => {
  if (type.kind !== 'list') return { cost: scaled(size.max, TRAVERSAL) };
  const item = isText(type.items) ? 1 + scaled(itemSize.max, TRAVERSAL) : 1;
  return { cost: product(size.max, item) };
});
const sets = (factor: number): Estimate => {
  return (_, [a, b]) => a && b && { cost: scaled(times(a.size, b.size).max, factor) + 1 };
};

/** As the server's library estimates its own functions, by their names; what is not here costs what CEL says. */
const ESTIMATES: ReadonlyMap<string, Estimate> = new Map([
  ...each('isSorted sum max min indexOf lastIndexOf', listTraversal),
  ...each('lowerAscii upperAscii substring trim', rewriting),
  ...each('cidr isIP isCIDR quantity isQuantity semver isSemver', traversal),
  ...each('masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast', NOMINAL),
  ...each('isGlobalUnicast format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan', NOMINAL),
  ...each('compareTo add sub getScheme getHostname getHost getPort getEscapedPath getQuery', NOMINAL),
  ...each('major minor patch allowed reason error errored', NOMINAL),
  ...each('sets.contains sets.intersects', sets(1)),
  ...each('sets.equivalent', sets(2)),
  ['url', (_, [text]) => text && { cost: scaled(text.size.max, TRAVERSAL), size: text.size }],
  ['ip', (target, args) => (target === undefined ? traversal(target, args) : { cost: 1 })],
  ['ip.isCanonical', (_, [text]) => text && { cost: scaled(text.size.max, 2 * TRAVERSAL) }],
  ['replace', ofTarget(replacement)],
  ['split', ofTarget(splitting)],
  ['join', ofTarget(joining)],
  ['find', ofTarget(finding)],
  ['findAll', ofTarget(finding)],
  ['containsIP', (_, [other]) => other && containment(other, 0)],
  ['containsCIDR', (_, [other]) => other && containment(other, scaled(ADDRESS.max, TRAVERSAL) + 1)],
  [
    'validate',
    (_, [text]) => text && { cost: scaled(scaled(text.size.max, TRAVERSAL), LONGEST_NAME_PATTERN * PATTERN) },
  ],
  ['==', (_, [a, b]) => a && b && equality(a, b)],
  ['slice', ofTarget(slicing)],
  ['lists.range', (_, [count]) => count && allocation(1, fixed(intValue(count, Number.POSITIVE_INFINITY)))],
  ['reverse', ofTarget(({ type, size }) => (type.kind === 'list' ? allocation(1, size) : undefined))],
  ['flatten', ofTarget(({ size }, [depth]) => allocation(depth ? intValue(depth, Number.POSITIVE_INFINITY) : 1, size))],
  ['distinct', ofTarget(({ size }) => allocation(2, times(size, size)))],
  ['sort', ofTarget(({ type, size }) => sorting(type, size))],
  ['@sortByAssociatedKeys', (_, [keys]) => keys && sorting(keys.type, keys.size)],
]);

function each(names: string, estimate: Estimate): [string, Estimate][] {
  return names.split(' ').map((name) => [name, estimate]);
}

export function estimateCall(
  name: string,
  target: Operand | undefined,
  args: readonly Operand[],
): CallEstimate | undefined {
  return ESTIMATES.get(name)?.(target, args);
}

export function isText(type: CelType): boolean {
  return type.kind === 'scalar' && (type.name === 'string' || type.name === 'bytes');
}

function finding({ size }: Operand, [pattern]: readonly Operand[]): CallEstimate | undefined {
  if (pattern === undefined) return undefined;
  const cost = product(scaled(size.max + 1, TRAVERSAL), scaled(pattern.size.max, PATTERN));
  return { cost, size: { min: 0, max: size.max } };
}

/** The result is largest when the shortest text is replaced by the longest, as often as there is room. */
function replacement({ size }: Operand, [old, by]: readonly Operand[]): CallEstimate | undefined {
  if (old === undefined || by === undefined) return undefined;
  let most = { count: 0, kept: size.max };
  if (old.size.min === 0) most = { count: size.max + 1, kept: size.max };
  else if (by.size.max > old.size.min) most = { count: Math.ceil(size.max / old.size.min), kept: 0 };
  let fewest = { count: 0, kept: size.min };
  if (old.size.max === 0) fewest = { count: size.min + 1, kept: size.min };
  else if (old.size.max > by.size.min) fewest = { count: Math.ceil(size.min / old.size.max), kept: 0 };
  return {
    cost: scaled(size.max, 2 * TRAVERSAL),
    size: {
      min: product(fewest.count, by.size.min) + fewest.kept,
      max: product(most.count, by.size.max) + most.kept,
    },
  };
}

function splitting({ size }: Operand, [, limit]: readonly Operand[]): CallEstimate {
  const max = limit === undefined ? size.max : intValue(limit, size.max);
  return { cost: scaled(size.max, 2 * TRAVERSAL), size: { min: 0, max } };
}

function joining({ type, size, itemSize }: Operand, [separator]: readonly Operand[]): CallEstimate {
  let joined = type.kind === 'list' ? times(size, itemSize) : fixed(0);
  if (separator !== undefined) {
    const gaps = { min: Math.max(0, size.min - 1), max: Math.max(0, size.max - 1) };
    joined = plus(joined, times(separator.size, gaps));
  }
  return { cost: scaled(joined.max, TRAVERSAL), size: joined };
}

/** Of an address or network that may have to be read from a text first. */
function containment({ type, size }: Operand, more: number): CallEstimate {
  const isRead = isText(type) || type.kind === 'dyn';
  const compared = scaled(plus(ADDRESS, ADDRESS).max, TRAVERSAL);
  return { cost: compared + more + (isRead ? scaled(size.max, TRAVERSAL) : 0) };
}

function equality(a: Operand, b: Operand): CallEstimate | undefined {
  if (a.type.kind !== 'scalar' || b.type.kind !== 'scalar' || a.type.name !== b.type.name) return undefined;
  switch (a.type.name) {
    case 'net.IP':
    case 'net.CIDR':
    case 'kubernetes.Quantity':
      return { cost: 1 };
    case 'kubernetes.NamedFormat':
      return { cost: scaled(LONGEST_FORMAT, TRAVERSAL) };
    case 'kubernetes.URL':
      return { cost: scaled(b.size.max === UNKNOWN.max ? 1 : b.size.max, TRAVERSAL) };
    default:
      return undefined;
  }
}

function slicing({ size }: Operand, [start, end]: readonly Operand[]): CallEstimate | undefined {
  if (start === undefined || end === undefined) return undefined;
  return allocation(1, fixed(Math.max(0, intValue(end, size.max) - intValue(start, 0))));
}

/** A sort compares each item with each. */
function sorting(type: CelType, size: Size): CallEstimate {
  const items = type.kind === 'list' ? type.items : type;
  return allocation(isText(items) || items.kind === 'dyn' ? 2 + TRAVERSAL : 2, times(size, size));
}

function allocation(factor: number, size: Size): CallEstimate {
  return { cost: scaled(size.max, factor) + 1 + LIST, size };
}

function intValue({ expression }: Operand, otherwise: number): number {
  if (expression.kind !== 'literal' || typeof expression.value !== 'bigint') return otherwise;
  return Math.max(0, Number(expression.value));
}
