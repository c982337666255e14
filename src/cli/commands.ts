import { UsageError } from './cli-error.ts';
import type { Command } from './command.ts';
import { completeCommand, completionCommand } from './completion/completion-command.ts';
import { demoCommand } from './demo/demo-command.ts';
import { generateApiCommand } from './generate/generate-api-command.ts';
import { generateCrdCommand } from './generate/generate-crd-command.ts';
import { commandHelp, groupHelp, overview } from './help.ts';
import { initOperatorCommand } from './init/init-operator-command.ts';
import { inspectCommand } from './inspect/inspect-command.ts';
import { logsCommand } from './logs/logs-command.ts';
import { serveCommand } from './serve/serve-command.ts';
import { topCommand } from './top/top-command.ts';
import { versionCommand } from './version-command.ts';
import { watchCommand } from './watch/watch-command.ts';

const helpCommand: Command = {
  name: 'help',
  summary: 'show this overview, or the help of a command',
  operands: '[COMMAND]',
  maxOperands: 2,
  about: ['Shows what tidewatch can do, or the help of one command.'],
  flags: [],
  examples: [{ about: 'The flags of watch', line: 'tidewatch help watch' }],
  async run({ positionals, io }) {
    const found = positionals.length === 0 ? undefined : findCommand(positionals);
    const within = visibleCommands.filter(({ name }) => name.startsWith(`${positionals.join(' ')} `));
    if (found === undefined && within.length > 0) {
      io.stdout.write(groupHelp(positionals.join(' '), within));
      return 0;
    }
    if (positionals.length > 0 && found === undefined) {
      throw new UsageError(`there is no command "${positionals.join(' ')}"`, 'See "tidewatch help".');
    }
    io.stdout.write(found === undefined ? overview(visibleCommands) : commandHelp(found.command));
    return 0;
  },
};

/** In the order of the overview. */
export const visibleCommands: readonly Command[] = [
  demoCommand,
  watchCommand,
  inspectCommand,
  logsCommand,
  topCommand,
  serveCommand,
  generateCrdCommand,
  generateApiCommand,
  initOperatorCommand,
  completionCommand,
  versionCommand,
  helpCommand,
];

const hiddenCommand = completeCommand(() => visibleCommands);

/** The command that a command line begins with, and what follows its name. */
export function findCommand(argv: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  for (const words of [2, 1]) {
    const name = argv.slice(0, words).join(' ');
    const command = [...visibleCommands, hiddenCommand].find((one) => one.name === name);
    if (command && name.split(' ').length === words) return { command, rest: argv.slice(words) };
  }
  return undefined;
}
