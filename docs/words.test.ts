import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AVOIDED, avoidedIn, markdownProse, sourceProse } from '../tools/docs/words.ts';

const found = (prose: string) => avoidedIn(prose).map(({ line, words }) => `${line}: ${words}`);

describe('the phrases that CONTRIBUTING asks to avoid', () => {
  it.each([
    ['a line that is no event', '1: is no event'],
    ['numbers are no keys', '1: are no keys'],
    ['it was no whole answer', '1: was no whole'],
    ['an object that is no more', '1: is no more'],
    ['`file` is no `Status`', '1: is no `Status'],
    ['an untaken object', '1: untaken'],
    ['in a sorry plight', '1: plight'],
    ['waited in vain', '1: in vain'],
    ['written anew', '1: anew'],
    ['So many bytes', '1: So many'],
    ['waits for ever', '1: for ever'],
    ['bytes at rest', '1: bytes at rest'],
    ['it is passed over', '1: passed over'],
    ['passing over it', '1: passing over'],
    ['lest it fail', '1: lest'],
  ])('are found: %s', (prose, expected) => {
    expect(found(prose)).toEqual([expected]);
  });

  it.each([
    'there is no event',
    'There are no nodes',
    'there was no answer',
    'is there no answer?',
    'there has been no such event',
    'there can be no event',
    'there is no more room',
    'it is no longer pending',
    'must be no more than 63 bytes',
    'is no worse than the first',
    'the answer is no.',
    'for every pod, forever',
    'encryption at rest',
    'in vein, in value, renewal',
    'it is handed over and overlaps',
    'at least',
  ])('do not include: %s', (prose) => {
    expect(found(prose)).toEqual([]);
  });

  it('are each in the word list, under "Words" at its end', () => {
    const contributing = readFileSync(new URL('../CONTRIBUTING.md', import.meta.url), 'utf8');
    const words = contributing.split(/^## Words$/m).at(-1) ?? '';
    for (const { phrase, instead } of AVOIDED) expect(words).toContain(`| ${phrase} | ${instead} |`);
  });
});

describe('the prose of a source file', () => {
  const avoidedInSource = (text: string) => found(sourceProse('example.ts', text));

  it('is its comments and the text of its literals, by line', () => {
    const source = [
      '/** A text that is no JSON. */',
      'export const anew = inVain; // tried in vain',
      "const a = 'written anew';",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a program
      'const b = `${file} is no ${kind}, ${untaken} for ever`;',
      'const c = `so many`;',
      '/* in vain */ const d = /untaken/;',
    ].join('\n');
    expect(avoidedInSource(source)).toEqual([
      '1: is no JSON',
      '2: in vain',
      '3: anew',
      '4: is no',
      '4: for ever',
      '5: so many',
      '6: in vain',
    ]);
  });

  it('goes on from one line of a comment to the next', () => {
    expect(avoidedInSource('/**\n * One that is\n * no event.\n */\n// waits for\n// ever\n')).toEqual([
      '2: is no event',
      '5: for ever',
    ]);
  });

  it('does not go on from one literal to the next, nor into code', () => {
    expect(avoidedInSource("const a = ['waits for', 'ever', is, no, event];")).toEqual([]);
  });
});

describe('the prose of a page', () => {
  it('goes on from one line to the next', () => {
    expect(found(markdownProse('# Page\n\nIt is\nno event.\n'))).toEqual(['3: is no event']);
  });

  it('does not go on from one paragraph to the next', () => {
    expect(found(markdownProse('# When the answer is\n\nno event is written\n'))).toEqual([]);
  });

  it('ends where the word list begins', () => {
    expect(found(markdownProse('in vain\n\n## Words\n\nanew\n'))).toEqual(['1: in vain']);
  });
});
