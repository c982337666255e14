import { type CodePoints, codePoints } from './code-points.ts';

/** Beyond this one no character has another case. */
const LAST_CASED = 0x1e943;

/** As many as there are letters with cases. */
const WIDE = 3000;

let orbits: ReadonlyMap<number, readonly number[]> | undefined;

/** The set with everything that differs from one of its members in case only (Unicode's simple case folding). */
export function foldCase(set: CodePoints): CodePoints {
  const pairs = [...set];
  const add = (others: readonly number[]) => {
    for (const other of others) pairs.push(other, other);
  };
  for (let at = 0; at < set.length; at += 2) {
    const first = set[at] ?? 0;
    const last = Math.min(set[at + 1] ?? 0, LAST_CASED);
    if (last - first < WIDE) {
      for (let codePoint = first; codePoint <= last; codePoint += 1) add(sameLetters(codePoint));
    } else {
      orbits ??= findOrbits();
      for (const [codePoint, others] of orbits) if (codePoint >= first && codePoint <= last) add(others);
    }
  }
  return codePoints(pairs);
}

function sameLetters(codePoint: number): readonly number[] {
  if (codePoint < 0x80) return asciiOrbit(codePoint);
  orbits ??= findOrbits();
  return orbits.get(codePoint) ?? [];
}

function asciiOrbit(codePoint: number): readonly number[] {
  const lower = codePoint | 0x20;
  if (lower < 0x61 || lower > 0x7a || codePoint < 0x41) return [];
  const pair = [lower - 0x20, lower];
  // The sign of the kelvin is a K, and the long s an S.
  if (lower === 0x6b) pair.push(0x212a);
  if (lower === 0x73) pair.push(0x17f);
  return pair;
}

/** Letters that JavaScript folds alike. Upper and lower case find the candidates; they alone would make i of a dotless one. */
function findOrbits(): Map<number, readonly number[]> {
  const candidates = new Map<string, number[]>();
  for (let codePoint = 0; codePoint <= LAST_CASED; codePoint += 1) {
    const char = String.fromCodePoint(codePoint);
    const upper = char.toUpperCase();
    const lower = char.toLowerCase();
    if (upper === char && lower === char) continue;
    for (const key of new Set([upper.toLowerCase(), lower, lower.toUpperCase().toLowerCase()])) {
      candidates.set(key, [...(candidates.get(key) ?? []), codePoint]);
    }
  }
  const found = new Map<number, readonly number[]>();
  for (const group of candidates.values()) {
    for (const codePoint of group) {
      const alike = new RegExp(`^\\u{${codePoint.toString(16)}}$`, 'iu');
      const same = group.filter((other) => alike.test(String.fromCodePoint(other)));
      found.set(codePoint, [...new Set([...(found.get(codePoint) ?? []), ...same])]);
    }
  }
  return found;
}
