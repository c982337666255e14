import { parseArgs } from 'node:util';
import { didYouMean } from '../api/suggestion.ts';
import { UsageError } from './cli-error.ts';
import type { Command, FlagSpec, FlagValues } from './command.ts';

export interface ParsedArguments {
  readonly flags: FlagValues;
  readonly positionals: readonly string[];
}

export const HELP_FLAG: FlagSpec = { name: 'help', short: 'h', about: 'show this help' };

/** Reads what follows the name of a command. Throws `UsageError`. */
export function parseArguments(command: Command, args: readonly string[]): ParsedArguments {
  const specs = [...command.flags, HELP_FLAG];
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(specs.map((spec) => [spec.name, optionOf(spec)])),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const spec = specs.find((one) => one.name === token.name);
    if (spec === undefined) throw unknownFlag(command, specs, token.rawName);
    const earlier = spec.multiple ? (values.get(spec.name) ?? []) : [];
    values.set(spec.name, [...earlier, checkedValue(command, spec, token)]);
  }
  checkOperands(command, positionals);
  return { flags: flagValues(command, specs, values), positionals };
}

function optionOf({ value, short }: FlagSpec) {
  return { type: value ? ('string' as const) : ('boolean' as const), multiple: true, ...(short && { short }) };
}

function checkedValue(
  command: Command,
  { value }: FlagSpec,
  token: { rawName: string; value: string | undefined; inlineValue: boolean | undefined },
): string {
  if (value === undefined) {
    if (token.value === undefined || token.value === 'true' || token.value === 'false') return token.value ?? 'true';
    throw new UsageError(`${token.rawName} takes no value, but was given "${token.value}"`, seeHelp(command));
  }
  // "--namespace --watch-only" is a forgotten value; "--selector=-x" and "-o -" are meant.
  const missing = token.value === undefined || (token.value.length > 1 && token.value[0] === '-' && !token.inlineValue);
  // A variable of a shell that is unset must not mean all namespaces.
  const isEmpty = token.value === '' && value.kind === 'namespace';
  if (missing || isEmpty || token.value === undefined) {
    throw new UsageError(`${token.rawName} needs a value (${value.label})`, seeHelp(command));
  }
  if (value.choices && !value.choices.includes(token.value)) {
    const meant = didYouMean(token.value, value.choices);
    throw new UsageError(
      `${token.rawName} must be one of ${value.choices.join(', ')}, not "${token.value}"`,
      meant === undefined ? seeHelp(command) : sentence(meant),
    );
  }
  return token.value;
}

function checkOperands(command: Command, positionals: readonly string[]): void {
  const most = command.maxOperands ?? 0;
  const extra = positionals[most];
  if (extra === undefined) return;
  const what = most === 0 ? 'takes no arguments' : `takes at most ${most === 1 ? 'one argument' : `${most} arguments`}`;
  throw new UsageError(`"tidewatch ${command.name}" ${what}, so "${extra}" is too many`, seeHelp(command));
}

function unknownFlag(command: Command, specs: readonly FlagSpec[], rawName: string): UsageError {
  const meant = rawName.startsWith('--')
    ? didYouMean(
        rawName,
        specs.map(({ name }) => `--${name}`),
      )
    : undefined;
  return new UsageError(
    `"tidewatch ${command.name}" has no flag ${rawName}`,
    meant === undefined ? seeHelp(command) : `${sentence(meant)} ${seeHelp(command)}`,
  );
}

export function seeHelp(command: Pick<Command, 'name'>): string {
  return `See "tidewatch ${command.name} --help".`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function flagValues(
  command: Command,
  specs: readonly FlagSpec[],
  values: ReadonlyMap<string, readonly string[]>,
): FlagValues {
  const given = (name: string): readonly string[] => {
    if (!specs.some((spec) => spec.name === name)) throw new Error(`${command.name} declares no flag --${name}`);
    return values.get(name) ?? [];
  };
  return {
    on: (name) => given(name).at(-1) === 'true',
    text: (name) => given(name).at(-1),
    texts: given,
  };
}
