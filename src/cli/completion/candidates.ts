import { HELP_FLAG, parseArguments } from '../arguments.ts';
import type { Command, FlagSpec, FlagValues, ValueKind } from '../command.ts';

export interface Candidate {
  readonly value: string;
  readonly about?: string;
}

/** What only a kubeconfig or a cluster knows. */
export interface DynamicValues {
  contexts(flags: FlagValues): Promise<readonly string[]>;
  namespaces(flags: FlagValues): Promise<readonly string[]>;
  resources(flags: FlagValues): Promise<readonly string[]>;
  /** The names of the objects of a resource. */
  names(resource: string, flags: FlagValues): Promise<readonly string[]>;
}

export interface Candidates {
  readonly values: readonly Candidate[];
  /** The shell shall complete a path. */
  readonly files: boolean;
}

const NOTHING: Candidates = { values: [], files: false };

/** What may stand in place of the last word, which may be empty or half typed. `words` begins after the program's name. */
export async function candidatesFor(
  words: readonly string[],
  commands: readonly Command[],
  dynamic: DynamicValues,
): Promise<Candidates> {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  const command = [...commands]
    .sort((a, b) => b.name.length - a.name.length)
    .find(({ name }) => name.split(' ').every((word, at) => before[at] === word));
  if (command === undefined) return starting(typed, nextWords(commands, before));
  const rest = before.slice(command.name.split(' ').length);
  const specs = [...command.flags, HELP_FLAG];
  const inline = /^(--[^=]+)=(.*)$/s.exec(typed);
  const pending = inline ? flagOf(specs, inline[1]) : flagOf(specs, rest.at(-1));
  const flags = () => lenientFlags(command, rest);
  if (pending?.value) {
    const found = await valuesOf(pending.value.kind, pending.value.choices, dynamic, flags());
    const prefix = inline ? `${inline[1]}=` : '';
    const values = found.values.map(({ value }) => ({ value: `${prefix}${value}` }));
    return { ...starting(typed, values), files: found.files };
  }
  if (typed.startsWith('-')) {
    return starting(
      typed,
      specs.map(({ name, about }) => ({ value: `--${name}`, about })),
    );
  }
  return operands(command, typed, dynamic, flags());
}

async function operands(
  command: Command,
  typed: string,
  dynamic: DynamicValues,
  { flags, positionals }: { flags: FlagValues; positionals: readonly string[] },
): Promise<Candidates> {
  if (positionals.length >= (command.maxOperands ?? 0)) return NOTHING;
  if (command.operandKind === 'resource' && positionals[0] !== undefined) {
    return starting(typed, plain(await dynamic.names(positionals[0], flags)));
  }
  const found = await valuesOf(command.operandKind, command.operandChoices, dynamic, { flags, positionals });
  return { ...starting(typed, found.values), files: found.files };
}

async function valuesOf(
  kind: ValueKind | undefined,
  choices: readonly string[] | undefined,
  dynamic: DynamicValues,
  { flags }: { flags: FlagValues; positionals: readonly string[] },
): Promise<Candidates> {
  if (choices) return { values: plain(choices), files: false };
  switch (kind) {
    case 'file':
      return { values: [], files: true };
    case 'context':
      return { values: plain(await dynamic.contexts(flags)), files: false };
    case 'namespace':
      return { values: plain(await dynamic.namespaces(flags)), files: false };
    case 'resource':
      return { values: plain(await dynamic.resources(flags)), files: false };
    default:
      return NOTHING;
  }
}

function nextWords(commands: readonly Command[], before: readonly string[]): Candidate[] {
  const next = new Map<string, string>();
  for (const { name, summary } of commands) {
    const words = name.split(' ');
    const word = words[before.length];
    if (word === undefined || !before.every((one, at) => words[at] === one)) continue;
    const others = next.get(word);
    next.set(word, others === undefined ? summary : `${others}; ${summary}`);
  }
  return [...next].map(([value, about]) => ({ value, about }));
}

/** Only the flag that waits for a value: not one that has it behind an equal sign. */
function flagOf(specs: readonly FlagSpec[], word: string | undefined): FlagSpec | undefined {
  return specs.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`));
}

/** A line that is still being typed may be wrong as it stands. */
function lenientFlags(
  command: Command,
  rest: readonly string[],
): { flags: FlagValues; positionals: readonly string[] } {
  for (let length = rest.length; length >= 0; length--) {
    try {
      return parseArguments(command, rest.slice(0, length));
    } catch {
      // Try without the last word.
    }
  }
  return parseArguments(command, []);
}

function starting(typed: string, values: readonly Candidate[]): Candidates {
  return { values: values.filter(({ value }) => value.startsWith(typed)), files: false };
}

function plain(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value }));
}
