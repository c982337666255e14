import { BRACE_OPEN, BRACKET_OPEN, JsonElements, JsonMembers } from '../json/json-bytes.ts';
import { collectTexts } from './path-text.ts';

/**
 * Follows the path from segment `depth` on in the value from `start` to `end`; only what lies at its end is decoded.
 * Throws `SyntaxError`.
 */
export function readJsonPath(
  bytes: Buffer,
  start: number,
  end: number,
  segments: readonly string[],
  depth: number,
  found: string[],
): void {
  const segment = segments[depth];
  const first = bytes[start];
  if (segment !== undefined && segment !== '*' && first === BRACE_OPEN) {
    const range = memberNamed(bytes, start, end, segment);
    if (range !== undefined) {
      if (range.start < range.end) readJsonPath(bytes, range.start, range.end, segments, depth + 1, found);
      return;
    }
  } else if (segment === '*' && first === BRACKET_OPEN) {
    const ranges = elementsOf(bytes, start, end);
    if (ranges !== undefined) {
      for (const range of ranges) readJsonPath(bytes, range.start, range.end, segments, depth + 1, found);
      return;
    }
  }
  collectTexts(JSON.parse(bytes.toString('utf8', start, end)), segments, depth, found);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const NOTHING: Range = { start: 0, end: 0 };

/** Of two members with one name the last counts. Undefined when the object is not as expected. */
function memberNamed(bytes: Buffer, start: number, end: number, name: string): Range | undefined {
  const members = new JsonMembers(bytes, start, end);
  let found = NOTHING;
  while (members.next()) {
    members.skip();
    // Shorter than its text a key cannot be; most are told apart without making a string.
    if (members.keyEnd - members.keyStart - 2 >= name.length && members.key === name) {
      found = { start: members.valueStart, end: members.valueEnd };
    }
  }
  return members.end === end ? found : undefined;
}

function elementsOf(bytes: Buffer, start: number, end: number): Range[] | undefined {
  const elements = new JsonElements(bytes, start, end);
  const ranges: Range[] = [];
  while (elements.next()) {
    elements.skip();
    ranges.push({ start: elements.valueStart, end: elements.valueEnd });
  }
  return elements.end === end ? ranges : undefined;
}
