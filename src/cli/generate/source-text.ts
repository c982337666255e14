/**
 * Pieces of TypeScript source made from strings that anybody may have written. Whatever goes in, what comes out is one
 * literal, one property name or one comment, and nothing else.
 */

/** Line terminators of JavaScript and what could mislead a reader (bidi controls and their like) stay out of the source. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

export function stringLiteral(value: string): string {
  const inner = JSON.stringify(value)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replace(INVISIBLE, unicodeEscapes);
  return `'${inner}'`;
}

/** As it is where it is an identifier, else quoted. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : stringLiteral(name);
}

/** Lines of a doc comment; none when there is nothing to say. */
export function docComment(paragraphs: readonly string[], indent = ''): string[] {
  const lines = paragraphs.flatMap((text) => text.split(/\r\n|[\n\r\u2028\u2029]/)).map(commentText);
  while (lines.at(-1) === '') lines.pop();
  while (lines[0] === '') lines.shift();
  const [only] = lines;
  if (only === undefined) return [];
  const single = `${indent}/** ${only} */`;
  if (lines.length === 1 && single.length <= 120) return [single];
  return [
    `${indent}/**`,
    ...lines.flatMap((line) => wrapped(line, 116 - indent.length)).map((line) => `${indent} * ${line}`.trimEnd()),
    `${indent} */`,
  ];
}

/** Nothing in it ends the comment, and no `@` begins a tag or a directive to the compiler. */
function commentText(line: string): string {
  return line
    .replace(INVISIBLE, (char) => (char === '\t' ? '  ' : unicodeEscapes(char)))
    .replaceAll('*/', '*\\/')
    .replace(/(^|[^\w.])@(?=\w)/g, '$1\\@')
    .trimEnd();
}

function wrapped(line: string, width: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const at = rest.lastIndexOf(' ', width);
    if (at <= 0) break;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at + 1);
  }
  return [...lines, rest];
}

function unicodeEscapes(char: string): string {
  let text = '';
  for (let at = 0; at < char.length; at++) text += `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return text;
}
