import { type FieldError, forbidden, invalid, notSupported, required } from '../../request/field-error.ts';
import { asString, type JsonObject } from '../../values/json.ts';
import { childPath, indexPath, keyPath } from '../child-path.ts';
import { additionalSchema, type Schema } from '../structural-schema.ts';
import { overBudget, RULE_LIMIT, SchemaCost } from './cost/cost-limits.ts';
import { product } from './cost/size-estimate.ts';
import { declare, MAX_REQUEST_BYTES } from './declaration.ts';
import { compileRule, printedRule } from './rule-program.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

export interface RuleRulesOptions {
  /** Set for a schema that has been accepted before: what a single rule of it costs is not looked at again. */
  readonly isUnchanged?: boolean;
}

/** What is wrong with the rules of a schema, in the words of the real server. */
export function ruleErrors(schema: Schema, path: string, options: RuleRulesOptions = {}): FieldError[] {
  const check = new RuleCheck(options.isUnchanged === true);
  check.schema(schema, { path, isRoot: true, cardinality: 1, uncorrelated: undefined });
  return [...check.written, ...check.compiled, ...check.cost.errors(path)];
}

interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /** How many values the schema describes at most; undefined where a list or map around it has no bound. */
  readonly cardinality: number | undefined;
  /** The nearest list around the place whose items cannot be found again in the old object. */
  readonly uncorrelated: string | undefined;
}

class RuleCheck {
  /** About how rules are written, without looking into expressions. */
  readonly written: FieldError[] = [];
  readonly compiled: FieldError[] = [];
  readonly cost = new SchemaCost();
  readonly #isUnchanged: boolean;

  constructor(isUnchanged: boolean) {
    this.#isUnchanged = isUnchanged;
  }

  schema(schema: Schema, place: Place): void {
    const { path } = place;
    const before = this.written.length;
    const most = maxElements(schema);
    const cardinality = most === undefined || place.cardinality === undefined ? undefined : most * place.cardinality;
    const inside = { isRoot: false, cardinality, uncorrelated: place.uncorrelated };
    const additional = additionalSchema(schema);
    if (additional !== undefined) this.schema(additional, { ...inside, path: childPath(path, 'additionalProperties') });
    for (const [name, property] of schema.properties) {
      this.schema(property, { ...inside, path: keyPath(childPath(path, 'properties'), name) });
    }
    if (schema.items !== undefined) {
      const uncorrelated = place.uncorrelated ?? (schema.listType === 'map' ? undefined : path);
      this.schema(schema.items, { ...inside, path: childPath(path, 'items'), uncorrelated });
    }
    const at = (index: number) => indexPath(childPath(path, 'x-kubernetes-validations'), index);
    for (const [index, rule] of schema.rules.entries()) this.written.push(...writtenErrors(rule, schema, at(index)));
    if (this.written.length > before) return;
    for (const [index, rule] of schema.rules.entries()) this.#rule(rule, schema, { ...place, path: at(index) });
  }

  #rule(rule: JsonObject, schema: Schema, place: Place): void {
    const { path } = place;
    const compiled = compileRule(rule, schema, place.isRoot || schema.embeddedResource);
    if ('part' in compiled) {
      const message = `Invalid value: ${printedRule(rule)}: ${compiled.detail}`;
      this.compiled.push({ reason: 'FieldValueInvalid', field: childPath(path, compiled.part), message });
      return;
    }
    const times = place.cardinality ?? mostValues(schema, place.isRoot);
    this.#cost(childPath(path, 'rule'), 'estimated rule cost', product(compiled.cost, times));
    if (compiled.messageExpression !== undefined) {
      this.#cost(childPath(path, 'messageExpression'), 'estimated messageExpression cost', compiled.messageCost);
    }
    if (compiled.usesOldSelf && place.uncorrelated !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`;
      this.compiled.push(invalid(childPath(path, 'rule'), asString(rule.rule), detail));
    }
    if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule';
      this.compiled.push(invalid(childPath(path, 'optionalOldSelf'), rule.optionalOldSelf, detail));
    }
  }

  #cost(path: string, what: string, cost: number): void {
    if (cost > RULE_LIMIT && !this.#isUnchanged) {
      this.compiled.push(forbidden(path, overBudget(what, cost, RULE_LIMIT)));
    }
    this.cost.add(path, cost);
  }
}

/** How many values a schema's own values have inside; undefined when nothing bounds them. */
function maxElements(schema: Schema): number | undefined {
  if (schema.type === 'array') return schema.maxItems === undefined ? undefined : Math.max(0, schema.maxItems);
  if (schema.type !== 'object' || schema.additionalProperties === undefined) return 1;
  return schema.maxProperties === undefined ? undefined : Math.max(0, schema.maxProperties);
}

/** How many values of a schema fit into a request, with a comma between them. */
function mostValues(schema: Schema, isRoot: boolean): number {
  return Math.floor(MAX_REQUEST_BYTES / ((declare(schema, isRoot)?.minBytes ?? 0) + 1));
}

function writtenErrors(rule: JsonObject, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const text = asString(rule.rule).trim();
  const message = asString(rule.message);
  const at = (field: string) => childPath(path, field);
  if (text === '') errors.push(required(at('rule'), 'rule is not specified'));
  else if (message !== '' && message.trim() === '') {
    errors.push(invalid(at('message'), message, 'must be non-empty if specified'));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalid(at('message'), message, 'must not contain line breaks'));
  } else if (/[\n\r]/.test(text) && message === '') {
    errors.push(required(at('message'), 'message must be specified if rule contains line breaks'));
  }
  const messageExpression = asString(rule.messageExpression);
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(at('messageExpression'), 'messageExpression must be non-empty if specified'));
  }
  if (rule.reason !== undefined && !REASONS.includes(String(rule.reason))) {
    errors.push(notSupported(at('reason'), rule.reason, REASONS));
  }
  const fieldPath = asString(rule.fieldPath);
  if (fieldPath === '') return errors;
  if (fieldPath.trim() === '') errors.push(invalid(at('fieldPath'), fieldPath, 'must be non-empty if specified'));
  if (/[\n\r]/.test(fieldPath)) errors.push(invalid(at('fieldPath'), fieldPath, 'must not contain line breaks'));
  if (normalFieldPath(fieldPath, schema) === undefined) {
    errors.push(invalid(at('fieldPath'), fieldPath, 'must be a valid path'));
  }
  return errors;
}

/** `.spec['a.b']` as a field path, `spec.a.b`; undefined when it leads nowhere. */
export function normalFieldPath(fieldPath: string, root: Schema): string | undefined {
  let schema: Schema | undefined = root;
  let path = '';
  let rest = fieldPath;
  while (rest !== '') {
    const [whole, dotted, quoted] = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)+)'\])/.exec(rest) ?? [];
    if (whole === undefined || schema === undefined) return undefined;
    const name: string = dotted ?? (quoted ?? '').replace(/\\(.)/g, '$1');
    const isNamed: boolean = schema.properties.size > 0;
    schema = isNamed ? schema.properties.get(name) : additionalSchema(schema);
    if (schema === undefined) return undefined;
    path = isNamed ? childPath(path, name) : keyPath(path, name);
    rest = rest.slice(whole.length);
  }
  return path === '' ? undefined : path;
}
