import { HELP_FLAG } from './arguments.ts';
import type { Command, FlagSpec } from './command.ts';

/** For `tidewatch help`. */
export function overview(commands: readonly Command[]): string {
  return [
    'tidewatch watches Kubernetes: shared informers, and an API server to try them on.',
    '',
    'Usage:',
    '  tidewatch COMMAND [flags]',
    '',
    'Commands:',
    ...columns(commands.map(({ name, summary }) => [name, summary])),
    '',
    'Run "tidewatch COMMAND --help" for the flags of a command, with examples.',
    '',
  ].join('\n');
}

/** For `tidewatch generate --help`: what can follow the first word. */
export function groupHelp(first: string, commands: readonly Command[]): string {
  return [
    `"tidewatch ${first}" needs to know what:`,
    '',
    ...columns(commands.map(({ name, summary }) => [`tidewatch ${name}`, summary])),
    '',
    'Run one of them with --help for its flags, with examples.',
    '',
  ].join('\n');
}

/** For `tidewatch COMMAND --help`. */
export function commandHelp(command: Command): string {
  const usage = ['tidewatch', command.name, command.operands, '[flags]'].filter((part) => part !== undefined);
  return [
    ...command.about.flatMap((paragraph) => [...wrapped(paragraph), '']),
    'Usage:',
    `  ${usage.join(' ')}`,
    '',
    command.examples.length === 1 ? 'Example:' : 'Examples:',
    ...command.examples.flatMap(({ about, line }) => [`  # ${about}`, `  ${line}`]),
    '',
    'Flags:',
    ...columns([...command.flags, HELP_FLAG].map((flag) => [flagText(flag), aboutFlag(flag)])),
    '',
  ].join('\n');
}

function flagText({ name, short, value }: FlagSpec): string {
  return `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value.label}`}`;
}

function aboutFlag({ about, value, multiple }: FlagSpec): string {
  const choices = value?.choices ? `: ${value.choices.join(', ')}` : '';
  return `${about}${choices}${multiple ? ' (may be repeated)' : ''}`;
}

const WIDTH = 100;

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const first = Math.max(...rows.map(([left]) => left.length));
  return rows.flatMap(([left, right]) => {
    const [head = '', ...rest] = wrapped(right, WIDTH - first - 5);
    return [`  ${left.padEnd(first)}   ${head}`.trimEnd(), ...rest.map((line) => ' '.repeat(first + 5) + line)];
  });
}

function wrapped(text: string, width = WIDTH): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
