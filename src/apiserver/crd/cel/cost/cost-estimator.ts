import type { Declaration } from '../declaration.ts';
import { namespacedCall } from '../evaluator.ts';
import type { Expression } from '../expression.ts';
import { type CelType, DYN } from '../types.ts';
import { type CallEstimate, estimateCall, isText, type Operand } from './call-estimates.ts';
import { ACCUMULATOR, MacroExpansion } from './macro-expansion.ts';
import { fixed, PATTERN, plus, product, type Size, scaled, TRAVERSAL, UNKNOWN, union } from './size-estimate.ts';
import { ValuePath } from './value-path.ts';

/** What is known of the entries of a list or map that the expression makes. */
interface Entries {
  readonly isList: boolean;
  readonly key: Size;
  readonly value: Size;
}

interface Local {
  readonly path: ValuePath;
  readonly size?: Size | undefined;
  readonly entries?: Entries | undefined;
}

type Call = Extract<Expression, { kind: 'call' }>;
type Macro = Extract<Expression, { kind: 'macro' }>;

const SCALARS = new Set(['bool', 'double', 'int', 'uint', 'google.protobuf.Duration', 'google.protobuf.Timestamp']);
const LIST = 10;
const MAP = 30;

/** Estimates what evaluating an expression costs at most, as the server does before it accepts a rule. */
export class CostEstimator {
  readonly #types: Map<Expression, CelType>;
  readonly #root: Declaration;
  readonly #expansion: MacroExpansion;
  readonly #paths = new Map<Expression, ValuePath>();
  readonly #sizes = new Map<Expression, Size>();
  readonly #entries = new Map<Expression, Entries>();
  readonly #locals = new Map<string, Local[]>();

  /** `types` are those that the checker found for all parts; `root` declares self and oldSelf. */
  constructor(types: Map<Expression, CelType>, root: Declaration) {
    this.#types = types;
    this.#root = root;
    this.#expansion = new MacroExpansion(types);
  }

  cost(expression: Expression): number {
    switch (expression.kind) {
      case 'literal':
        return 0;
      case 'identifier':
        this.#paths.set(expression, this.#local(expression.name)?.path ?? ValuePath.EMPTY.child(expression.name));
        return 1;
      case 'select':
        return this.#select(expression);
      case 'index':
        return this.#index(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'macro':
        return this.#macro(expression);
      case 'call':
        return this.#call(expression);
    }
  }

  #select(expression: Extract<Expression, { kind: 'select' }>): number {
    const { operand, field, test, optional } = expression;
    const cost = this.cost(operand);
    if (test) return cost;
    if (optional) return cost + 1;
    const { kind } = this.#type(operand);
    this.#paths.set(expression, this.#path(operand).child(field));
    return kind === 'map' || kind === 'object' ? cost + 1 : cost;
  }

  #index(expression: Extract<Expression, { kind: 'index' }>): number {
    const { operand, index, optional } = expression;
    const costs = [operand, index].map((part) => this.#argument(part).cost);
    const cost = 1 + costs.reduce((sum, one) => sum + one);
    const { kind } = this.#type(operand);
    if (optional || kind === 'optional') return cost;
    this.#paths.set(expression, this.#path(operand).child(kind === 'list' ? '@items' : '@values'));
    const size = this.#entriesOf(operand)?.value ?? this.#size(expression);
    if (size !== undefined) this.#sizes.set(expression, size);
    return cost;
  }

  #list(expression: Extract<Expression, { kind: 'list' }>): number {
    let cost = LIST;
    let value: Size | undefined;
    for (const item of expression.items) {
      cost += this.cost(item.value);
      const size = this.#sizeOrUnknown(item.value);
      value = value === undefined ? size : union(value, size);
    }
    this.#entries.set(expression, { isList: true, key: fixed(1), value: value ?? fixed(0) });
    return cost;
  }

  #map(expression: Extract<Expression, { kind: 'map' }>): number {
    let cost = MAP;
    let sizes: { key: Size; value: Size } | undefined;
    for (const entry of expression.entries) {
      cost += this.cost(entry.key) + this.cost(entry.value);
      const [key, value] = [this.#sizeOrUnknown(entry.key), this.#sizeOrUnknown(entry.value)];
      sizes = { key: sizes ? union(sizes.key, key) : key, value: sizes ? union(sizes.value, value) : value };
    }
    this.#entries.set(expression, { isList: false, ...(sizes ?? { key: fixed(0), value: fixed(0) }) });
    return cost;
  }

  #macro(macro: Macro): number {
    if (macro.name === 'optMap' || macro.name === 'optFlatMap') return this.#optional(macro);
    return macro.name === 'sortBy' ? this.#sortBy(macro) : this.#loop(macro, macro.range, this.cost(macro.range));
  }

  #loop(macro: Macro, range: Expression, rangeCost: number): number {
    const loop = this.#expansion.loop(macro, this.#type(macro));
    let cost = rangeCost + this.cost(loop.initial);
    this.#push(ACCUMULATOR, this.#bound(loop.initial));
    const [first = '', second] = macro.variables;
    const names = second === undefined ? [first] : [first, second];
    const entries = this.#entriesOf(range);
    const isList = entries?.isList ?? this.#type(range).kind === 'list';
    const key = (name: string) => ({ path: this.#path(range).child(name), size: entries?.key });
    const item = (name: string) => ({ path: this.#path(range).child(name), size: entries?.value });
    if (second === undefined) this.#push(first, isList ? item('@items') : key('@keys'));
    else {
      this.#push(first, key(isList ? '@indices' : '@keys'));
      this.#push(second, item(isList ? '@items' : '@values'));
    }
    const turn = this.cost(loop.condition) + this.cost(loop.step);
    for (const name of names) this.#pop(name);
    cost += this.cost(loop.result);
    this.#pop(ACCUMULATOR);
    const count = this.#sizeOrUnknown(range);
    if (loop.initial.kind === 'literal') this.#sizes.set(macro, fixed(1));
    else {
      this.#sizes.set(macro, count);
      const made = this.#entriesOf(loop.step);
      if (made !== undefined) this.#entries.set(macro, made);
    }
    return cost + product(count.max, turn);
  }

  /** `target.hasValue() ? optional.of(bind(v, target.value(), body)) : optional.none()`. */
  #optional({ name, range, variables, bodies }: Macro): number {
    const [variable = ''] = variables;
    const [body] = bodies;
    const asked = this.cost(range) + 1;
    const value = LIST + this.cost(range) + 1;
    this.#push(variable, { path: ValuePath.EMPTY });
    const then = body === undefined ? 0 : this.cost(body);
    this.#pop(variable);
    return asked + Math.max(value + then + (name === 'optMap' ? 1 : 0), 1);
  }

  /** `bind(input, target, input.sortByKeys(input.map(e, key)))`. */
  #sortBy(macro: Macro): number {
    const cost = LIST + this.cost(macro.range);
    const key = macro.bodies.at(-1);
    const keys: Macro = { ...macro, name: 'map' };
    this.#types.set(keys, { kind: 'list', items: key === undefined ? DYN : this.#type(key) });
    const mapping = this.#loop(keys, macro.range, 1);
    const estimate = estimateCall('@sortByAssociatedKeys', undefined, [this.#operand(keys)]);
    if (estimate?.size !== undefined) this.#sizes.set(macro, estimate.size);
    return cost + 1 + mapping + (estimate?.cost ?? 1);
  }

  #call(call: Call): number {
    const namespaced = namespacedCall(call);
    const name = namespaced ?? call.name;
    const target = namespaced === undefined ? call.target : undefined;
    if (name === 'dyn') return this.#dyn(call);
    const measured = call.args.map((arg) => this.#argument(arg));
    const args = measured.map(({ operand }) => operand);
    const receiver = target === undefined ? undefined : this.#argument(target);
    const all = measured.reduce((sum, { cost }) => sum + cost, receiver?.cost ?? 0);
    const [condition, yes, no] = measured;
    if (name === '?:' && condition && yes && no) {
      this.#chosen(call, yes.operand, no.operand);
      return condition.cost + Math.max(yes.cost, no.cost);
    }
    const estimate =
      estimateCall(name, receiver?.operand, args) ?? this.#standardCall(name, call, receiver?.operand, args);
    const size = estimate.size ?? this.#size(call);
    if (size !== undefined) this.#sizes.set(call, size);
    return all + estimate.cost;
  }

  #dyn(call: Call): number {
    const [arg] = call.args;
    if (arg === undefined) return 1;
    const cost = this.cost(arg) + 1;
    const [size, entries] = [this.#size(arg), this.#entriesOf(arg)];
    if (size !== undefined) this.#sizes.set(call, size);
    if (entries !== undefined) this.#entries.set(call, entries);
    return cost;
  }

  #chosen(call: Call, yes: Operand, no: Operand): void {
    this.#sizes.set(call, union(yes.size, no.size));
    this.#joinEntries(call, yes.expression, no.expression);
  }

  #joinEntries(call: Call, a: Expression, b: Expression): void {
    const [one, other] = [this.#entriesOf(a), this.#entriesOf(b)];
    if (one === undefined || other === undefined) return;
    const [key, value] = [union(one.key, other.key), union(one.value, other.value)];
    this.#entries.set(call, { isList: one.isList, key, value });
  }

  /** What CEL itself says of its functions and operators; 1 for what does not go through its arguments. */
  #standardCall(name: string, call: Call, target: Operand | undefined, args: readonly Operand[]): CallEstimate {
    const [a, b] = args;
    switch (name) {
      case '&&':
      case '||':
        return { cost: 0 };
      case '==':
      case '!=':
        return a && b ? { cost: scaled(Math.min(a.size.max, b.size.max), TRAVERSAL) } : { cost: 1 };
      case '<':
      case '<=':
      case '>':
      case '>=':
        return a && b ? ordering(a, b) : { cost: 1 };
      case '+':
        return a && b ? this.#addition(call, a, b) : { cost: 1 };
      case 'in':
        if (b === undefined || b.type.kind === 'map') return { cost: 1 };
        return { cost: b.type.kind === 'list' ? b.size.max : Math.max(1, b.size.max) };
      case 'matches':
        if (target === undefined || a === undefined) return { cost: 1 };
        return { cost: product(scaled(target.size.max + 1, TRAVERSAL), scaled(a.size.max, PATTERN)) };
      case 'contains':
        if (target === undefined || a === undefined) return { cost: 1 };
        return { cost: product(scaled(target.size.max, TRAVERSAL), scaled(a.size.max, TRAVERSAL)) };
      case 'startsWith':
      case 'endsWith':
        return { cost: a ? scaled(a.size.max, TRAVERSAL) : 1 };
      case 'format':
        return { cost: target ? scaled(target.size.max, TRAVERSAL) : 1 };
      case 'strings.quote':
        return a ? { cost: scaled(a.size.max, TRAVERSAL), size: quoted(a.size) } : { cost: 1 };
      case 'bytes':
      case 'string':
        return a ? conversion(name, a) : { cost: 1 };
      default:
        return { cost: 1 };
    }
  }

  #addition(call: Call, a: Operand, b: Operand): CallEstimate {
    const may = (fits: (type: CelType) => boolean) =>
      (fits(a.type) || a.type.kind === 'dyn') && (fits(b.type) || b.type.kind === 'dyn');
    const joinsTexts = may(isText);
    const joinsLists = may(({ kind }) => kind === 'list');
    if (!joinsTexts && !joinsLists) return { cost: 1 };
    const size = plus(a.size, b.size);
    this.#joinEntries(call, a.expression, b.expression);
    return { cost: joinsTexts ? scaled(size.max, TRAVERSAL) : 1, size };
  }

  /** Costs and sizes are found in turn: what comes later changes the paths of what came before. */
  #argument(expression: Expression): { cost: number; operand: Operand } {
    return { cost: this.cost(expression), operand: this.#operand(expression) };
  }

  #operand(expression: Expression): Operand {
    const type = this.#type(expression);
    const path = this.#path(expression);
    const itemSize = path.length > 0 ? this.#declaredSize([...path.names(), '@items']) : undefined;
    return { expression, type, size: this.#sizeOrUnknown(expression), itemSize: itemSize ?? UNKNOWN };
  }

  #bound(expression: Expression): Local {
    return { path: this.#path(expression), size: this.#size(expression), entries: this.#entriesOf(expression) };
  }

  #type(expression: Expression): CelType {
    return this.#types.get(expression) ?? DYN;
  }

  #path(expression: Expression): ValuePath {
    const local = expression.kind === 'identifier' ? this.#local(expression.name) : undefined;
    return local?.path ?? this.#paths.get(expression) ?? ValuePath.EMPTY;
  }

  #sizeOrUnknown(expression: Expression): Size {
    return this.#size(expression) ?? UNKNOWN;
  }

  #size(expression: Expression): Size | undefined {
    const known = this.#sizes.get(expression) ?? writtenSize(expression);
    if (known !== undefined) return known;
    const path = this.#path(expression);
    const declared = path.length > 0 ? this.#declaredSize(path.names()) : undefined;
    if (declared !== undefined) {
      this.#sizes.set(expression, declared);
      return declared;
    }
    if (isScalar(this.#type(expression))) return fixed(1);
    return expression.kind === 'identifier' ? this.#local(expression.name)?.size : undefined;
  }

  #entriesOf(expression: Expression): Entries | undefined {
    const known = this.#entries.get(expression);
    if (known !== undefined || expression.kind !== 'identifier') return known;
    return this.#local(expression.name)?.entries;
  }

  /** By the schema, from self or oldSelf on, which have the same. */
  #declaredSize(names: readonly string[]): Size | undefined {
    let at: Declaration | undefined = this.#root;
    for (const name of names) {
      if (name === '@items' || name === '@values') at = at.element;
      else if (name === '@keys') at = at.element !== undefined && at.type.kind === 'map' ? KEY : undefined;
      else at = at.fields?.get(name);
      if (at === undefined) return undefined;
    }
    return { min: 0, max: at.maxElements };
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    this.#locals.set(name, [...(this.#locals.get(name) ?? []), local]);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }
}

/** A key of a map. */
const KEY: Declaration = { type: { kind: 'scalar', name: 'string' }, maxElements: 0, minBytes: 2 };

function writtenSize(expression: Expression): Size | undefined {
  switch (expression.kind) {
    case 'literal': {
      const { value } = expression;
      if (typeof value === 'string') return fixed([...value].length);
      return fixed(value instanceof Uint8Array ? value.length : 1);
    }
    case 'list':
      return fixed(expression.items.length);
    case 'map':
      return fixed(expression.entries.length);
    default:
      return undefined;
  }
}

function isScalar(type: CelType): boolean {
  if (type.kind === 'optional') return isScalar(type.inner);
  return type.kind === 'scalar' && SCALARS.has(type.name);
}

function ordering(a: Operand, b: Operand): CallEstimate {
  const both = (fits: (type: CelType) => boolean) => fits(a.type) && fits(b.type);
  if (!both((type) => isText(type) || type.kind === 'dyn')) return { cost: 1 };
  const compared = scaled(Math.min(a.size.max, b.size.max), TRAVERSAL);
  return { cost: both(({ kind }) => kind === 'dyn') ? Math.max(1, compared) : compared };
}

/** Between texts and bytes; a character has up to four of them. */
function conversion(name: string, { type, size }: Operand): CallEstimate {
  const from = name === 'bytes' ? 'string' : 'bytes';
  if (type.kind === 'scalar' && type.name !== from) return { cost: 1 };
  const made =
    name === 'bytes' ? { min: size.min, max: size.max * 4 } : { min: Math.floor(size.min / 4), max: size.max };
  return { cost: Math.max(type.kind === 'dyn' ? 1 : 0, scaled(size.max, TRAVERSAL)), size: made };
}

/** Each character may need a backslash. What has no bound overflows to nothing in the server's arithmetic. */
function quoted({ min, max }: Size): Size {
  return { min: min + 2, max: max === UNKNOWN.max ? 0 : max * 2 + 2 };
}
