import { Lexer } from 'yaml';

/**
 * How deeply YAML may nest here. The parser recurses, and a stack that ends inside it can take the whole process along;
 * the real server takes 10,000 levels. JSON, which is YAML too, is read by other means and may nest as deeply as there.
 */
export const MAX_YAML_DEPTH = 100;

const SCALAR_FOLLOWS = '\x1f';
const CONTROLS = new Set(['\x02', '\x18', SCALAR_FOLLOWS]);
const INDICATORS = new Set(['-', '?', ':']);

/** Throws for a text that nests too deeply, as soon as it does; reads tokens alone, which takes no stack. */
export function checkYamlDepth(text: string): void {
  const depth = new YamlDepth();
  for (const token of new Lexer().lex(text)) depth.take(token);
}

/** Follows brackets, and the columns at which blocks begin. */
class YamlDepth {
  #flow = 0;
  /** Ascending: where the blocks begin that are open at this point. A list may share its column with the map around it. */
  readonly #columns: number[] = [];
  #column = 0;
  #line = 1;
  /** Whether what comes next would begin a block of its own. */
  #atBlockStart = true;
  #inScalar = false;

  take(token: string): void {
    if (CONTROLS.has(token) && !this.#inScalar) {
      this.#inScalar = token === SCALAR_FOLLOWS;
      if (this.#inScalar) this.#begin();
      return;
    }
    if (!this.#inScalar) this.#follow(token);
    this.#inScalar = false;
    this.#advance(token);
  }

  #follow(token: string): void {
    if (token === '[' || token === '{') {
      this.#begin();
      this.#flow++;
      this.#check(this.#flow);
    } else if (token === ']' || token === '}') {
      this.#flow = Math.max(0, this.#flow - 1);
    } else if (INDICATORS.has(token)) {
      this.#begin();
      this.#atBlockStart = true;
    } else if (/^[&*!|>"']/.test(token)) this.#begin();
  }

  #begin(): void {
    if (!this.#atBlockStart || this.#flow > 0) return;
    this.#atBlockStart = false;
    while ((this.#columns.at(-1) ?? -1) > this.#column) this.#columns.pop();
    if (this.#columns.at(-1) === this.#column) return;
    this.#columns.push(this.#column);
    this.#check(this.#columns.length);
  }

  #check(depth: number): void {
    if (depth > MAX_YAML_DEPTH) throw new Error(`yaml: line ${this.#line}: exceeded max depth of ${MAX_YAML_DEPTH}`);
  }

  #advance(token: string): void {
    const end = token.lastIndexOf('\n');
    if (end < 0) {
      this.#column += token.length;
      return;
    }
    this.#column = token.length - end - 1;
    this.#atBlockStart = true;
    for (let at = token.indexOf('\n'); at >= 0; at = token.indexOf('\n', at + 1)) this.#line++;
  }
}
