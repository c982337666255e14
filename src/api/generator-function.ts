const TAGS: readonly string[] = ['[object GeneratorFunction]', '[object AsyncGeneratorFunction]'];

/** Whether it is declared with an asterisk: a call of it runs nothing, and returns an iterator that nobody reads. */
export function isGeneratorFunction(value: unknown): boolean {
  return typeof value === 'function' && TAGS.includes(Object.prototype.toString.call(value));
}
