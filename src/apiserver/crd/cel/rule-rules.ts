import { type FieldError, invalid, notSupported, required } from '../../field-error.ts';
import { asString, type JsonObject } from '../../json.ts';
import { childPath, indexPath, keyPath } from '../field-path.ts';
import { additionalSchema, type Schema } from '../structural-schema.ts';
import { compileRule, printedRule } from './rule-program.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** What is wrong with the rules of a schema, in the words of the real server. */
export function ruleErrors(schema: Schema, path: string, isRoot = true, uncorrelated?: string): FieldError[] {
  const errors = schema.rules.flatMap((rule, index) =>
    errorsOfRule(rule, schema, isRoot, indexPath(childPath(path, 'x-kubernetes-validations'), index), uncorrelated),
  );
  for (const [name, property] of schema.properties) {
    errors.push(...ruleErrors(property, keyPath(childPath(path, 'properties'), name), false, uncorrelated));
  }
  const additional = additionalSchema(schema);
  if (additional !== undefined) {
    errors.push(...ruleErrors(additional, childPath(path, 'additionalProperties'), false, uncorrelated));
  }
  if (schema.items !== undefined) {
    // Items of other lists cannot be found again in the old object.
    const below = uncorrelated ?? (schema.listType === 'map' ? undefined : path);
    errors.push(...ruleErrors(schema.items, childPath(path, 'items'), false, below));
  }
  return errors;
}

function errorsOfRule(
  rule: JsonObject,
  schema: Schema,
  isRoot: boolean,
  path: string,
  uncorrelated: string | undefined,
): FieldError[] {
  const written = writtenErrors(rule, schema, path);
  if (written.length > 0) return written;
  const compiled = compileRule(rule, schema, isRoot);
  if ('part' in compiled) {
    const message = `Invalid value: ${printedRule(rule)}: ${compiled.detail}`;
    return [{ reason: 'FieldValueInvalid', field: childPath(path, compiled.part), message }];
  }
  if (compiled.usesOldSelf && uncorrelated !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
    return [invalid(childPath(path, 'rule'), asString(rule.rule), detail)];
  }
  if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    return [invalid(childPath(path, 'optionalOldSelf'), rule.optionalOldSelf, detail)];
  }
  return [];
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
