import { UsageError } from '../cli-error.ts';
import type { Command } from '../command.ts';
import { safeText } from '../terminal/safe-text.ts';
import { SHELL_SCRIPTS } from './shell-scripts.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const completionCommand: Command = {
  name: 'completion',
  summary: 'print the completion script of a shell',
  operands: 'bash|zsh|fish',
  operandChoices: SHELLS,
  maxOperands: 1,
  about: [
    'Prints a script that makes the shell complete commands, flags, resources, namespaces, contexts and names of objects.',
  ],
  flags: [],
  examples: [
    { about: 'For this bash; put it into ~/.bashrc for all', line: 'source <(tidewatch completion bash)' },
    { about: 'For zsh, in ~/.zshrc after compinit', line: 'source <(tidewatch completion zsh)' },
    {
      about: 'For fish',
      line: 'tidewatch completion fish > ~/.config/fish/completions/tidewatch.fish',
    },
  ],
  async run({ positionals: [shell], io }) {
    const known = SHELLS.find((one) => one === shell);
    if (known === undefined) {
      const said = shell === undefined ? 'needs the name of a shell' : `knows no shell "${shell}"`;
      throw new UsageError(`"tidewatch completion" ${said}`, `Try one of ${SHELLS.join(', ')}.`);
    }
    io.stdout.write(SHELL_SCRIPTS[known]);
    return 0;
  },
};

/** What the scripts ask; not for people. `commands` are those that it completes. */
export function completeCommand(commands: () => readonly Command[]): Command {
  return {
    name: '__complete',
    summary: 'answer the completion script of a shell',
    operands: '-- WORD...',
    maxOperands: Number.POSITIVE_INFINITY,
    about: ['Prints what may stand in place of the last word, one candidate a line, a tab before its description.'],
    flags: [],
    examples: [{ about: 'As a shell asks', line: 'tidewatch __complete -- watch po' }],
    async run({ positionals, io }) {
      const [{ candidatesFor }, { clusterValues }] = await Promise.all([
        import('./candidates.ts'),
        import('./cluster-values.ts'),
      ]);
      const { values, files } = await candidatesFor(positionals, commands(), clusterValues(io));
      const lines = values.map(({ value, about }) => `${safeText(value)}${about === undefined ? '' : `\t${about}`}\n`);
      io.stdout.write(lines.join('') + (files ? ':files\n' : ''));
      return 0;
    },
  };
}
