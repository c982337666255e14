/**
 * Checks that every relative link in the Markdown files leads to a file, and every anchor to a heading, that the tables of
 * README.md and docs/README.md list every page of docs/, and that pages, messages and comments avoid the phrases that
 * CONTRIBUTING.md lists under "Words". One sentence for each problem. Links to other sites are not followed.
 *
 *     tsx scripts/check-docs.ts [folder]
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Markdown, markdownFiles, readMarkdown } from '../tools/docs/markdown.ts';
import { avoidedIn, markdownProse, sourceProse } from '../tools/docs/words.ts';

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

/** The README's table has every page of docs/; docs/README.md, with a line on each, the reference too. Decisions have a list of their own. */
const CONTENTS = 'docs/README.md';
const LISTED_ELSEWHERE = /^docs\/decisions\/\d/;
const IN_README = /^docs\/[^/]+$/;

function linkedFrom(page: string): Set<string> {
  const targets = pages.get(join(root, page))?.links.map(({ target }) => target.split('#')[0] ?? '') ?? [];
  return new Set(targets.map((target) => join(root, dirname(page), decodeURIComponent(target))));
}

if (pages.has(join(root, CONTENTS))) {
  const [contents, readme] = [linkedFrom(CONTENTS), linkedFrom('README.md')];
  for (const page of pages.keys()) {
    const path = page.slice(root.length + 1);
    if (IN_README.test(path) && !readme.has(page)) problems.push(`${path}: README.md does not list it.`);
    if (!path.startsWith('docs/') || path === CONTENTS || LISTED_ELSEWHERE.test(path) || contents.has(page)) continue;
    problems.push(`${path}: ${CONTENTS} does not list it.`);
  }
}

/** What generated files say is written elsewhere: in doc comments of the sources, and in Kubernetes. */
const isGenerated = (path: string) => /^docs\/reference\/|^src\/generated\/|\/testdata\//.test(path);

function sourceFiles(): string[] {
  if (!existsSync(join(root, 'src'))) return [];
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .sort();
}

const texts = [...[...pages.keys()].map((page) => page.slice(root.length + 1)), ...sourceFiles()].filter(
  (path) => !isGenerated(path),
);
for (const path of texts) {
  const text = readFileSync(join(root, path), 'utf8');
  const prose = path.endsWith('.md') ? markdownProse(text) : sourceProse(path, text);
  for (const { line, words, instead } of avoidedIn(prose)) {
    problems.push(`${path}:${line}: "${words}" has to be read twice: write as in ${instead}.`);
  }
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${checked} links in ${pages.size} pages lead somewhere; ${texts.length} texts use plain words.`);
