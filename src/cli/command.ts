import type { CliIo } from './cli-io.ts';

/** What stands behind a flag, and so what a shell may complete. */
export type ValueKind = 'context' | 'namespace' | 'file' | 'resource' | 'none';

export interface FlagSpec {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** A flag without a value is on or off. */
  readonly value?: {
    /** As in the help: `FILE`. */
    readonly label: string;
    /** The only ones allowed. */
    readonly choices?: readonly string[];
    readonly kind?: ValueKind;
  };
  /** May be given several times. */
  readonly multiple?: boolean;
  /** A half-sentence for the help. */
  readonly about: string;
}

export interface Example {
  readonly about: string;
  readonly line: string;
}

/** The flags as they were given. Asking for one that the command has not declared is a fault of the command. */
export interface FlagValues {
  on(name: string): boolean;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
}

export interface Invocation {
  readonly flags: FlagValues;
  readonly positionals: readonly string[];
  readonly io: CliIo;
}

export interface Command {
  /** One or two words: `watch`, `generate crd`. */
  readonly name: string;
  /** A half-sentence for the list of commands. */
  readonly summary: string;
  /** What follows the name: `RESOURCE [NAME]`. */
  readonly operands?: string;
  /** What a shell may complete as an operand. */
  readonly operandKind?: ValueKind;
  readonly operandChoices?: readonly string[];
  /** How many operands may be given. Default: none. */
  readonly maxOperands?: number;
  /** Paragraphs for `--help`. */
  readonly about: readonly string[];
  readonly flags: readonly FlagSpec[];
  readonly examples: readonly Example[];
  /** The exit code. Throws what `errorReport` explains. */
  run(invocation: Invocation): Promise<number>;
}
