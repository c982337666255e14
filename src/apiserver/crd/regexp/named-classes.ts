import { ANY, type CodePoints, codePoints, complement, MAX_CODE_POINT } from './code-points.ts';

const DIGIT: CodePoints = codePoints(pairsOf('09'));
const SPACE: CodePoints = [9, 10, 12, 13, 32, 32];
const WORD: CodePoints = codePoints(pairsOf('09AZaz__'));

export const PERL_CLASSES: Readonly<Record<string, CodePoints>> = {
  d: DIGIT,
  D: complement(DIGIT),
  s: SPACE,
  S: complement(SPACE),
  w: WORD,
  W: complement(WORD),
};

const POSIX_CLASSES: Readonly<Record<string, CodePoints>> = {
  alnum: codePoints(pairsOf('09AZaz')),
  alpha: codePoints(pairsOf('AZaz')),
  ascii: [0, 0x7f],
  blank: [9, 9, 32, 32],
  cntrl: [0, 0x1f, 0x7f, 0x7f],
  digit: DIGIT,
  graph: pairsOf('!~'),
  lower: pairsOf('az'),
  print: pairsOf(' ~'),
  punct: codePoints(pairsOf('!/:@[`{~')),
  space: [9, 13, 32, 32],
  upper: pairsOf('AZ'),
  word: WORD,
  xdigit: codePoints(pairsOf('09AFaf')),
};

/** `[:alpha:]`, `[:^alpha:]`; undefined for a name that Go does not know. */
export function posixClass(name: string): { inside: CodePoints; negated: boolean } | undefined {
  const negated = name.startsWith('^');
  const plain = negated ? name.slice(1) : name;
  const inside = Object.hasOwn(POSIX_CLASSES, plain) ? POSIX_CLASSES[plain] : undefined;
  return inside === undefined ? undefined : { inside, negated };
}

function pairsOf(ends: string): number[] {
  return [...ends].map((char) => char.charCodeAt(0));
}

const CATEGORY = /^(?:L[ulmot]?|Lc|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfson]?)$/;
const ALIASES: ReadonlyMap<string, string> = new Map(
  (
    'Cased_Letter:LC Line_Separator:Zl Modifier_Letter:Lm Other_Punctuation:Po Unassigned:Cn Uppercase_Letter:Lu cntrl:Cc ' +
    'Final_Punctuation:Pf Initial_Punctuation:Pi Letter_Number:Nl Math_Symbol:Sm Open_Punctuation:Ps Other:C Other_Number:No ' +
    'Punctuation:P Control:Cc Lowercase_Letter:Ll Other_Symbol:So Paragraph_Separator:Zp Symbol:S Titlecase_Letter:Lt ' +
    'Decimal_Number:Nd Enclosing_Mark:Me Modifier_Symbol:Sk Space_Separator:Zs Surrogate:Cs digit:Nd Currency_Symbol:Sc ' +
    'Other_Letter:Lo Close_Punctuation:Pe Dash_Punctuation:Pd Letter:L Number:N Combining_Mark:M Format:Cf Mark:M ' +
    'Nonspacing_Mark:Mn Private_Use:Co Separator:Z Connector_Punctuation:Pc Spacing_Mark:Mc punct:P'
  )
    .split(' ')
    .map((entry): [string, string] => {
      const [alias = '', category = ''] = entry.split(':');
      return [canonicalName(alias), category];
    }),
);
/** Other names of four letters are codes of scripts (`Grek`), which JavaScript knows and Go does not. */
const SHORT_SCRIPTS = new Set(['Ahom', 'Cham', 'Kawi', 'Lisu', 'Modi', 'Newa', 'Thai', 'Toto']);

/** Whole planes in which nothing is assigned, or which are for private use. */
const ALIKE: ReadonlyMap<number, number> = new Map([
  [0x40000, 0xdffff],
  [0xf0000, 0xffffd],
  [0x100000, 0x10fffd],
]);

const known = new Map<string, CodePoints | undefined>();

/** A category (`Lu`, `Letter`) or a script (`Greek`); undefined for a name that Go does not know. */
export function unicodeClass(name: string): CodePoints | undefined {
  const canonical = canonicalName(name);
  if (!known.has(canonical)) known.set(canonical, read(canonical));
  return known.get(canonical);
}

/** As Go reads names: only the first letter is a capital. So it does not find scripts of several words. */
function canonicalName(name: string): string {
  const joined = name.replace(/[_\- ]/g, '');
  return joined.charAt(0).toUpperCase() + joined.slice(1).toLowerCase();
}

function read(name: string): CodePoints | undefined {
  if (name === 'Any') return ANY;
  if (name === 'Ascii') return [0, 0x7f];
  if (name === 'Assigned') return complement(having('Cn'));
  const category = CATEGORY.test(name) ? name : ALIASES.get(name);
  if (category !== undefined) return having(category === 'Lc' ? 'LC' : category);
  if (!/^[A-Z][a-z]+$/.test(name) || name === 'Unknown' || (name.length === 4 && !SHORT_SCRIPTS.has(name))) {
    return undefined;
  }
  try {
    return having(`Script=${name}`);
  } catch {
    return undefined;
  }
}

/** All code points with a property, as JavaScript's own tables have them. Throws for an unknown one. */
function having(property: string): CodePoints {
  if (property === 'Cs') return [0xd800, 0xdfff];
  const one = new RegExp(`\\p{${property}}`, 'u');
  const pairs: number[] = [];
  const add = (first: number, last: number) => {
    if (!one.test(String.fromCodePoint(first))) return;
    if (pairs.at(-1) === first - 1) pairs[pairs.length - 1] = last;
    else pairs.push(first, last);
  };
  for (let codePoint = 0; codePoint <= MAX_CODE_POINT; codePoint += 1) {
    const end = ALIKE.get(codePoint) ?? codePoint;
    add(codePoint, end);
    codePoint = end;
  }
  return pairs;
}
