import type { JsonValue } from '../values/json.ts';
import { JsonPathParser } from './json-path-parser.ts';
import { runSteps, type Step } from './json-path-steps.ts';

/**
 * The dialect of client-go's `util/jsonpath`, as far as it applies to JSON: `.a.b`, `.a\.b`, `['a']`, `[0]`, `[-1]`,
 * `[1:3]`, `[*]`, `.*`, `..a`, `[0,2]`, `[?(@.type=="Ready")]`. Missing keys give no result.
 */
export class JsonPath {
  readonly #steps: readonly Step[];

  /** Without the surrounding braces of `kubectl -o jsonpath`: `.spec.replicas`. */
  constructor(path: string) {
    this.#steps = new JsonPathParser(path).parse();
  }

  find(root: JsonValue): JsonValue[] {
    return runSteps(this.#steps, [root]);
  }
}
