import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** A block of code between fences. */
export interface Fence {
  /** The first word after the opening fence, and the rest. */
  readonly language: string;
  readonly words: readonly string[];
  /** Of the first line within, counted from 0. */
  readonly line: number;
  readonly lines: readonly string[];
}

export interface Link {
  readonly target: string;
  /** Counted from 0. */
  readonly line: number;
}

export interface Markdown {
  readonly fences: readonly Fence[];
  readonly links: readonly Link[];
  /** What `#…` can point to: headings as GitHub names them, and explicit ids. */
  readonly anchors: ReadonlySet<string>;
}

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'coverage', '.git', 'testdata']);

/** Every Markdown file below a folder, as paths relative to it, sorted. */
export function markdownFiles(root: string): string[] {
  const found: string[] = [];
  const visit = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) visit(path);
      else if (entry.isFile() && entry.name.endsWith('.md')) found.push(path.split(sep).join('/'));
    }
  };
  visit('');
  return found.sort();
}

export function readMarkdown(file: string): Markdown {
  return parseMarkdown(readFileSync(file, 'utf8'));
}

export function parseMarkdown(text: string): Markdown {
  const fences: Fence[] = [];
  const links: Link[] = [];
  const anchors = new Set<string>();
  const slugs = new Map<string, number>();
  let open: { mark: string; language: string; words: string[]; line: number; lines: string[] } | undefined;
  for (const [line, content] of text.split('\n').entries()) {
    const mark = /^\s*(`{3,}|~{3,})(.*)$/.exec(content);
    if (open) {
      if (mark?.[1]?.startsWith(open.mark) && mark[2]?.trim() === '') {
        fences.push(open);
        open = undefined;
      } else open.lines.push(content);
      continue;
    }
    if (mark?.[1]) {
      const [language = '', ...words] = (mark[2] ?? '').trim().split(/\s+/);
      open = { mark: mark[1], language, words, line: line + 1, lines: [] };
      continue;
    }
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(content)?.[1];
    if (heading !== undefined) anchors.add(unique(slugOf(heading), slugs));
    for (const [, id] of content.matchAll(/<a (?:id|name)="([^"]+)"/g)) if (id) anchors.add(id);
    for (const target of linkTargets(content)) links.push({ target, line });
  }
  return { fences, links, anchors };
}

function linkTargets(line: string): string[] {
  const text = line.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length));
  const targets: string[] = [];
  for (const [, target] of text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g))
    if (target) targets.push(target);
  for (const [, target] of text.matchAll(/^\s*\[[^\]]+\]:\s+(\S+)/g)) if (target) targets.push(target);
  for (const [, target] of text.matchAll(/<(?:img|a|source)\s[^>]*(?:src|href|srcset)="([^"]+)"/g))
    if (target) targets.push(target);
  return targets;
}

/** As GitHub makes the anchor of a heading. */
export function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]*>/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replace(/ /g, '-');
}

function unique(slug: string, taken: Map<string, number>): string {
  const before = taken.get(slug);
  taken.set(slug, (before ?? -1) + 1);
  return before === undefined ? slug : `${slug}-${before + 1}`;
}
