import type { Environment, OutputStream } from '../cli-io.ts';

/** What the other end of an output can show. */
export interface Capabilities {
  /** A person looks at it, and lines can be drawn over: neither a pipe nor a dumb terminal. */
  readonly live: boolean;
  readonly color: boolean;
  readonly unicode: boolean;
}

/** By the habits of Unix: TERM, NO_COLOR (https://no-color.org), and the locale in LC_ALL, LC_CTYPE or LANG. */
export function capabilitiesOf(
  output: Pick<OutputStream, 'isTTY'>,
  env: Environment,
  platform: string = process.platform,
): Capabilities {
  const terminal = output.isTTY === true;
  const dumb = env.TERM === 'dumb';
  return {
    live: terminal && !dumb,
    color: terminal && !dumb && !env.NO_COLOR,
    unicode: hasUnicode(env, platform),
  };
}

function hasUnicode(env: Environment, platform: string): boolean {
  // Windows has no locale variables; its terminal has shown Unicode since it has that name.
  if (platform === 'win32') return Boolean(env.WT_SESSION || env.TERM_PROGRAM);
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || 'C';
  return /utf-?8/i.test(locale);
}
