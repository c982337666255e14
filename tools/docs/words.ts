import ts from 'typescript';

/** A phrase that has to be read twice. The list for readers is under "Words" in CONTRIBUTING.md. */
export interface AvoidedPhrase {
  /** As CONTRIBUTING.md shows it. */
  readonly phrase: string;
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly instead: string;
}

/** "there is no event", "there has been no event", "is no longer", "is no more than 63" and "is no worse than" are plain English. */
const IS_NO =
  /(?<!\bthere\s+(?:[a-z]+\s+)?)\b(?:is|are|was|were|be|been)\s+no\s+(?!longer\b|(?:more|less|fewer|worse|\w+er)\s+than\b)(?:[`"']?[\w-]+|(?=\$\{))/gi;

export const AVOIDED: readonly AvoidedPhrase[] = [
  { phrase: '"is no event", "are no keys"', pattern: IS_NO, instead: '"is not an event", "are not keys"' },
  {
    phrase: '"an object that is no more"',
    pattern: /(?<!\bthere\s+)\bis\s+no\s+more\b(?!\s+than)/gi,
    instead: '"is gone"',
  },
  { phrase: '"untaken"', pattern: /\buntaken\b/gi, instead: '"unusable"' },
  { phrase: '"plight"', pattern: /\bplight\b/gi, instead: '"state", "condition"' },
  { phrase: '"in vain"', pattern: /\bin\s+vain\b/gi, instead: '"without success"' },
  { phrase: '"anew"', pattern: /\banew\b/gi, instead: '"again"' },
  { phrase: '"so many bytes"', pattern: /\bso\s+many\b/gi, instead: '"this many bytes", or a name for the number' },
  { phrase: '"for ever"', pattern: /\bfor\s+ever\b/gi, instead: '"forever"' },
  { phrase: '"bytes at rest"', pattern: /\bbytes\s+at\s+rest\b/gi, instead: '"the compact cache"' },
  { phrase: '"pass over"', pattern: /\bpass(?:es|ed|ing)?\s+over\b/gi, instead: '"skip"' },
  { phrase: '"lest"', pattern: /\blest\b/gi, instead: '"so that … does not"' },
];

export interface AvoidedWords {
  /** Counted from 1. */
  readonly line: number;
  readonly words: string;
  readonly instead: string;
}

/** Every avoided phrase in a text, in the order of the text. It may go on in the next line, but not in the next paragraph. */
export function avoidedIn(prose: string): AvoidedWords[] {
  const byPlace = new Map<number, AvoidedWords>();
  const paragraphs = prose.replace(/\n(?=[^\S\n]*\n)/g, '\0');
  for (const { pattern, instead } of AVOIDED) {
    for (const { 0: words, index } of paragraphs.matchAll(pattern)) {
      const line = prose.slice(0, index).split('\n').length;
      byPlace.set(index, { line, words: words.replace(/\s+/g, ' ').trim(), instead });
    }
  }
  return [...byPlace].sort(([a], [b]) => a - b).map(([, found]) => found);
}

/** A page without the word list at its end, which has to name the phrases. */
export function markdownProse(text: string): string {
  return text.replace(/^## Words$[\s\S]*/m, '');
}

/** Comments and the text of literals where they stand; what else is not blank is `\0`. Lines stay the same. */
export function sourceProse(name: string, text: string): string {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
  const prose = text.replace(/\S/g, '\0').split('');
  const show = (start: number, shown: string) => prose.splice(start, shown.length, ...shown.split(''));
  const showComments = (comments: readonly ts.CommentRange[] = []) => {
    for (const { pos, end } of comments) show(pos, withoutMarks(text.slice(pos, end)));
  };
  const visit = (node: ts.Node) => {
    const children = node.getChildren(source).filter((child) => !ts.isJSDoc(child));
    if (children.length > 0) return children.forEach(visit);
    showComments(ts.getLeadingCommentRanges(text, node.pos));
    showComments(ts.getTrailingCommentRanges(text, node.end));
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      const start = node.getStart(source);
      show(start, text.slice(start, node.end));
    }
  };
  visit(source);
  return prose.join('');
}

/** Blanks in place of what makes a text a comment, so that its sentences go on from line to line. */
function withoutMarks(comment: string): string {
  return comment.replace(/^\/\/|^\/\*+|\*\/$/g, (mark) => ' '.repeat(mark.length)).replace(/(\n[^\S\n]*)\*/g, '$1 ');
}
