/** A rule that cannot be compiled, with the place in its text. */
export class CelSyntaxError extends Error {
  override readonly name = 'CelSyntaxError';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** A rule that cannot be evaluated on the value at hand: `no such key: x`, `integer overflow`, `no such overload`, … */
export class CelError extends Error {
  override readonly name = 'CelError';
}

export function noOverload(): CelError {
  return new CelError('no such overload');
}
