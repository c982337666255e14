import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DocumentedName, DoorReader } from '../tools/docs/door.ts';
import { parseMarkdown } from '../tools/docs/markdown.ts';
import { calledFunctions, type SnippetModule, snippetModules, typeErrors } from '../tools/docs/snippets.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const DOORS = new Map([
  ['tidewatch', 'src/index.ts'],
  ['tidewatch/client-node', 'src/client-node/index.ts'],
  ['tidewatch/controller', 'src/controller/index.ts'],
  ['tidewatch/inspector', 'src/inspector/index.ts'],
  ['tidewatch/metrics', 'src/metrics/index.ts'],
  ['tidewatch/testing', 'src/testing/index.ts'],
  ['tidewatch/workqueue', 'src/workqueue/index.ts'],
]);

/** What an example may speak of without saying where it comes from, beside what the doors export. */
const KNOWN = `
import { type CoreV1Api, V1Pod } from '@kubernetes/client-node';
import type * as known from 'tidewatch';
import { deployments } from 'tidewatch/api/apps/v1';
import { type Pod, pods } from 'tidewatch/api/core/v1';
declare const api: CoreV1Api;
declare const cluster: known.Cluster;
declare const factory: known.SharedInformerFactory;
declare const informer: known.SharedIndexInformer<Pod>;
declare const lister: known.Lister<Pod>;
declare const listerWatcher: known.ListerWatcher<Pod>;
declare const queue: known.DeltaFIFO<Pod>;
declare const signal: AbortSignal;
declare function reconcile(pod: V1Pod): void;
declare function store(deltas: readonly known.Delta<Pod>[]): void;
`;

class Examples {
  readonly #names = new Map<string, string>();
  readonly #documented: DocumentedName[] = [];

  constructor() {
    const reader = new DoorReader(root, [...DOORS.values()]);
    for (const [door, file] of DOORS) {
      const exported = reader.read(file).filter((name) => name.exported);
      this.#documented.push(...exported);
      for (const { name, kind } of exported) {
        const isType = kind === 'interface' || kind === 'type';
        if (!this.#names.has(name)) this.#names.set(name, `import { ${isType ? 'type ' : ''}${name} } from '${door}';`);
      }
    }
  }

  /** The examples in the doc comments of what the doors export, each with what it needs to compile. */
  modules(): SnippetModule[] {
    const modules = new Map<string, SnippetModule>();
    for (const { name, doc, members } of this.#documented) {
      const comments = members.map(
        (member) => [`${name}.${/^[\w. ]+/.exec(member.signature)?.[0]}`, member.doc] as const,
      );
      for (const [where, text] of [[name, doc] as const, ...comments]) {
        for (const { lines } of parseMarkdown(text).fences) {
          // Types that extend others have their comments, too.
          modules.set(lines.join('\n'), this.module(where, lines));
        }
      }
    }
    return [...modules.values()];
  }

  /** In a block of its own, so that it may call its variables as it likes. */
  module(where: string, lines: readonly string[]): SnippetModule {
    const isImport = (line: string) => line.startsWith('import ');
    const body = lines.filter((line) => !isImport(line)).join('\n');
    const words = [...new Set(body.match(/\b[A-Za-z]\w*/g))];
    const imports = [...lines.filter(isImport), ...words.flatMap((word) => this.#names.get(word) ?? [])];
    const text = `${imports.join('\n')}${KNOWN}{\n${body}\n}\n`;
    return {
      name: `docs/example-${where.replace(/\W+/g, '-')}-${lines.length}`,
      page: where,
      text,
      runs: false,
      prints: [],
    };
  }
}

describe('an example in a doc comment', () => {
  let examples: Examples;
  beforeAll(() => {
    examples = new Examples();
  });

  it('compiles, as it stands there', () => {
    const wrong = examples.module('wrong', ["factory.for(pods, { labelSelecter: 'app=web' });"]);
    const modules = examples.modules();
    expect(modules.length).toBeGreaterThan(20);
    expect(typeErrors(root, [...modules, wrong])).toEqual([
      expect.stringMatching(/^wrong:\d+: .*'labelSelecter' does not exist/),
    ]);
  });

  it('is there for each function that the first program of the README calls', () => {
    const [first] = snippetModules(root, 'README.md');
    const called = calledFunctions(root, first as SnippetModule);
    const without = [...called].filter(([, doc]) => !doc.includes('```ts')).map(([name]) => name);
    expect([...called.keys()].sort()).toEqual([
      'addEventHandler',
      'close',
      'connect',
      'for',
      'informer',
      'list',
      'lister',
      'new SharedInformerFactory',
      'shutdown',
      'start',
      'waitForCacheSync',
    ]);
    expect(without).toEqual([]);
  });
});
