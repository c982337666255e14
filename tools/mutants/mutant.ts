/**
 * A bug, planted on purpose. The unit tests named in `tests` must find it.
 *
 * `original` occurs exactly once in `file`: when that code changes, the check fails until the mutant is carried along.
 */
export interface Mutant {
  /** What the bug does, in a few words. Unique. */
  readonly bug: string;
  readonly file: string;
  readonly original: string;
  readonly replacement: string;
  /** The test files that should notice; the fewer, the sooner. */
  readonly tests: readonly string[];
}

/** The stage of the pipeline that a mutant belongs to: the folder under `src/`. */
export function stageOf({ file }: Mutant): string {
  return file.split('/')[1] ?? '';
}

/** The source with the bug in it. Throws when the code that the bug replaces is gone, or is there more than once. */
export function planted(source: string, { bug, file, original, replacement }: Mutant): string {
  const at = source.indexOf(original);
  if (at < 0) throw new Error(`${file} no longer holds the code that "${bug}" replaces: carry the mutant along.`);
  if (source.indexOf(original, at + 1) >= 0) {
    throw new Error(`${file} holds the code that "${bug}" replaces more than once: give more of its surroundings.`);
  }
  if (original === replacement) throw new Error(`"${bug}" in ${file} changes nothing.`);
  return source.slice(0, at) + replacement + source.slice(at + original.length);
}
