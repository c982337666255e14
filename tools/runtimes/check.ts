/** One thing that has to work on every runtime. */
export interface Check {
  /** A sentence about behaviour; known differences name it. Unique. */
  readonly name: string;
  /** Rejects when it does not hold. Leaves nothing behind that keeps the process alive. */
  run(): Promise<void>;
}

/** What came of one check on one runtime. */
export interface Outcome {
  readonly check: string;
  /** Undefined: it passed, and its process ended by itself with code 0. */
  readonly failure?: string | undefined;
}
