import type { FieldError } from '../request/field-error.ts';
import type { Strategy, WriteContext } from '../storage/strategy.ts';
import { asString, cloneJson, getPath, isObject, type JsonObject } from '../values/json.ts';
import { qualifiedNameProblems } from '../values/name-rules.ts';
import { finalizersOf } from '../values/object-meta.ts';
import { blockedRules, hasRules, RuleValidator } from './cel/rule-validation.ts';
import type { CustomScale } from './custom-scale.ts';
import type { DefinitionVersion } from './definition.ts';
import { validateEmbedded } from './embedded-resources.ts';
import { validateListTypes } from './list-types.ts';
import { selectableText } from './selectable-field-rules.ts';
import type { Schema } from './structural-schema.ts';
import { validateValue } from './value-validation.ts';

export interface CustomStrategyOptions {
  readonly version: DefinitionVersion;
  readonly schema: Schema;
  readonly scale: CustomScale | undefined;
  /** `example.com/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** From the storage version to the one that the schema describes; identity when unset. */
  readonly fromStorage?: ((object: JsonObject) => JsonObject) | undefined;
}

const STANDARD_FINALIZERS = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** How objects of a custom resource are judged when they are written through one of its versions. */
export function customStrategy(options: CustomStrategyOptions): Strategy {
  const { version, schema, scale } = options;
  const statusSchema = schema.properties.get('status');
  const rules = hasRules(schema) ? new RuleValidator(schema) : undefined;
  /** Rules come last, and only when the object has the shape that they expect. */
  const withRules = (
    errors: FieldError[],
    object: JsonObject,
    old: JsonObject | undefined,
    context: WriteContext,
  ): FieldError[] => {
    if (rules === undefined) return errors;
    const blocked = blockedRules(errors);
    if (blocked !== undefined) return [...errors, blocked];
    return [...errors, ...rules.validate(object, old, (message) => context.warn(message))];
  };
  const inVersion = (object: JsonObject): JsonObject => ({
    ...(options.fromStorage === undefined ? object : options.fromStorage(cloneJson(object))),
    apiVersion: options.apiVersion,
    kind: options.kind,
  });
  return {
    generation: true,
    unconditionalUpdate: false,
    selectableFields: version.selectableFields.map((path) => ({
      name: path.replace(/^\./, ''),
      read: (object) => selectableText(object, path),
    })),
    prepareForCreate: (object, context) => warnOfFinalizers(object, undefined, context),
    prepareForUpdate: (object, old, context) => warnOfFinalizers(object, old, context),
    validate(object, context) {
      // An update carries the version that it starts from; it is judged by validateUpdate, which knows the old object.
      if (asString(getPath(object, 'metadata', 'resourceVersion')) !== '') return [];
      const shown = inVersion(object);
      const errors = [
        ...validateValue(shown, schema),
        ...(scale?.validate(shown, 'both') ?? []),
        ...validateEmbedded(shown, schema),
        ...validateListTypes(shown, schema),
      ];
      return withRules(errors, shown, undefined, context);
    },
    validateUpdate(object, old, context) {
      const shown = inVersion(object);
      const before = inVersion(old);
      const errors = [
        ...validateValue(shown, schema, before),
        ...(scale?.validate(shown, 'both') ?? []),
        ...validateEmbedded(shown, schema),
        ...newListErrors(shown, before, schema),
      ];
      return withRules(errors, shown, before, context);
    },
    validateStatusUpdate(object, old, context) {
      const shown = inVersion(object);
      const before = inVersion(old);
      const status = shown.status;
      const ofStatus =
        status === undefined || statusSchema === undefined
          ? []
          : validateValue(status, statusSchema, before.status, 'status');
      const errors = [
        ...ofStatus,
        ...(scale?.validate(shown, 'status') ?? []),
        ...newListErrors(shown, before, schema),
      ];
      return withRules(errors, shown, before, context);
    },
  };
}

/** Lists that broke the rule before may go on doing so. */
function newListErrors(object: JsonObject, old: JsonObject, schema: Schema): FieldError[] {
  const errors = validateListTypes(object, schema);
  return errors.length > 0 && validateListTypes(old, schema).length > 0 ? [] : errors;
}

function warnOfFinalizers(object: JsonObject, old: JsonObject | undefined, context: WriteContext): void {
  const before = new Set(isObject(old) ? finalizersOf(old) : []);
  for (const name of [...new Set(finalizersOf(object))].sort()) {
    if (before.has(name)) continue;
    const said = `metadata.finalizers: ${JSON.stringify(name)}`;
    for (const problem of qualifiedNameProblems(name)) context.warn(`${said}: ${problem}`);
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) continue;
    const path = name.includes('.') ? ' including a path (/)' : '';
    context.warn(
      `${said}: prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
    );
  }
}
