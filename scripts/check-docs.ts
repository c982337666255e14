/**
 * Checks that every relative link in the Markdown files leads to a file, and every anchor to a heading. One sentence for
 * each that does not. Links to other sites are not followed.
 *
 *     tsx scripts/check-docs.ts [folder]
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Markdown, markdownFiles, readMarkdown } from '../tools/docs/markdown.ts';

const root = resolve(process.argv[2] ?? '.');
const pages = new Map<string, Markdown>(
  markdownFiles(root).map((path) => [join(root, path), readMarkdown(join(root, path))]),
);
const problems: string[] = [];
let checked = 0;

function problemWith(page: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#');
  if (path.startsWith('/')) return 'is absolute: write it relative to the page';
  const file = path === '' ? page : join(dirname(page), decodeURIComponent(path));
  if (!file.startsWith(root)) return 'leads out of the repository';
  if (!existsSync(file)) return 'leads nowhere';
  if (anchor === undefined) return undefined;
  const markdown = pages.get(file);
  if (markdown === undefined) return statSync(file).isFile() ? undefined : 'has an anchor, but leads to a folder';
  return markdown.anchors.has(decodeURIComponent(anchor)) ? undefined : 'leads to a heading that is not there';
}

for (const [page, { links }] of pages) {
  for (const { target, line } of links) {
    if (/^[a-z][a-z+.-]*:/i.test(target)) continue;
    checked++;
    const problem = problemWith(page, target);
    if (problem) problems.push(`${page.slice(root.length + 1)}:${line + 1}: the link "${target}" ${problem}.`);
  }
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${checked} links in ${pages.size} pages lead somewhere.`);
