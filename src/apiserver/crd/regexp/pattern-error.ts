/** A pattern that Go refuses, in Go's words. */
export class PatternError extends Error {
  override readonly name = 'PatternError';

  constructor(what: string, where: string) {
    super(`error parsing regexp: ${what}: \`${where}\``);
  }
}
