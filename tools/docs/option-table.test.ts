import { describe, expect, it } from 'vitest';
import type { DocumentedName } from './door.ts';
import { withOptionTables } from './option-table.ts';

const names = [
  {
    name: 'Options',
    members: [
      { signature: "store?: 'packed' | 'plain' | undefined", doc: 'How objects\nare kept.' },
      { signature: 'onEnd?: ((why: string) => void) | undefined', doc: 'Called once.' },
    ],
  },
] as unknown as DocumentedName[];
const begin = '<!-- options of Options, by npm run generate:docs -->';
const end = '<!-- end of options -->';

describe('a table of options', () => {
  it('takes the place of what stands between its markers, and is the same when it is written again', () => {
    const page = withOptionTables(`before\n${begin}\nold\n${end}\nafter`, names);
    expect(page.split('\n')).toEqual([
      'before',
      begin,
      '',
      '| option | type | effect |',
      '| --- | --- | --- |',
      '| `onEnd` | `(why: string) => void` | Called once. |',
      "| `store` | `'packed' \\| 'plain'` | How objects are kept. |",
      '',
      end,
      'after',
    ]);
    expect(withOptionTables(page, names)).toBe(page);
  });

  it('is an error without its end, its type or a doc comment', () => {
    expect(() => withOptionTables(`${begin}\n`, names)).toThrow('has no <!-- end of options -->');
    expect(() => withOptionTables(`${begin.replace('Options', 'Other')}\n${end}`, names)).toThrow(
      'no door exports Other',
    );
    const silent = [
      { name: 'Options', members: [{ signature: 'a?: string', doc: '' }] },
    ] as unknown as DocumentedName[];
    expect(() => withOptionTables(`${begin}\n${end}`, silent)).toThrow('Options.a has no doc comment');
  });
});
