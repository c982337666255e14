/**
 * Writes docs/reference/: the public names of each door with their doc comments, and the resource tokens; and the tables of options in
 * the guides, from the types.
 *
 *     tsx scripts/generate-reference.ts [--check]
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type DocumentedName, DoorReader } from '../tools/docs/door.ts';
import type { OptionParameter } from '../tools/docs/option-parameters.ts';
import { withOptionTables } from '../tools/docs/option-table.ts';
import { renderReference, type Section } from '../tools/docs/reference-page.ts';
import { renderTokens, type TokenModule } from '../tools/docs/token-page.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
const folder = join(root, 'docs/reference');
/** With tables of options. */
const guide = join(root, 'docs/informers.md');

const SECTIONS: readonly Section[] = [
  { title: 'Informers', folders: ['src/informer/'] },
  { title: 'Handlers', folders: ['src/processor/'] },
  { title: 'Stores', folders: ['src/store/'] },
  { title: 'Clusters', folders: ['src/cluster/', 'src/http/', 'src/login/'] },
  { title: 'Reflectors', folders: ['src/reflector/'] },
  { title: 'Queues', folders: ['src/queue/'] },
  { title: 'Time, logs, metrics', folders: ['src/observe/'] },
  { title: 'Words of the API', folders: ['src/api/', 'src/codec/'] },
];

const WORKQUEUE_SECTIONS: readonly Section[] = [{ title: 'Work queues', folders: ['src/workqueue/'] }];

const CONTROLLER_SECTIONS: readonly Section[] = [{ title: 'Controllers', folders: ['src/controller/'] }];
const INSPECTOR_SECTIONS = [{ title: 'The page', folders: ['inspector'] }];
const CLIENT_NODE_SECTIONS: readonly Section[] = [{ title: 'Objects of client-node', folders: ['src/client-node/'] }];

const TESTING_SECTIONS: readonly Section[] = [
  { title: 'The embedded API server', folders: ['src/testing/api-server', 'src/apiserver/'] },
  { title: 'A real control plane', folders: ['src/testing/control-plane'] },
  { title: 'Time', folders: ['src/observe/'] },
  { title: 'Other', folders: [] },
];

async function tokenModules(): Promise<TokenModule[]> {
  const api = join(root, 'src/generated/api');
  const files = readdirSync(api, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const modules: TokenModule[] = [];
  for (const file of files.sort()) {
    const door = `tidewatch/api/${file.slice(0, -'.ts'.length).split(sep).join('/')}`;
    modules.push({ door, exports: (await import(pathToFileURL(join(api, file)).href)) as Record<string, unknown> });
  }
  return modules;
}

async function makePages(): Promise<{ pages: Map<string, string>; guideText: string }> {
  const reader = new DoorReader(root, [
    'src/index.ts',
    'src/client-node/index.ts',
    'src/controller/index.ts',
    'src/inspector/index.ts',
    'src/testing/index.ts',
    'src/workqueue/index.ts',
    'src/metrics/index.ts',
  ]);
  const main = reader.read('src/index.ts');
  const controller = reader.read('src/controller/index.ts', new Set(main.map(({ name }) => name)));
  const testing = reader.read('src/testing/index.ts', new Set([...main, ...controller].map(({ name }) => name)));
  const workqueue = reader.read('src/workqueue/index.ts', new Set(main.map(({ name }) => name)));
  const clientNode = reader.read('src/client-node/index.ts', new Set(main.map(({ name }) => name)));
  const metrics = reader.read('src/metrics/index.ts', new Set(main.map(({ name }) => name)));
  const others = new Set([...main, ...controller].map(({ name }) => name));
  const inspector = reader.read('src/inspector/index.ts', others);
  const all = [...main, ...testing, ...workqueue, ...controller, ...clientNode, ...metrics, ...inspector];
  mustBeExported(all);
  mustBeDocumented(all);
  mustSayWhatTheyDo(reader.optionParameters());
  const guideText = withOptionTables(readFileSync(guide, 'utf8'), main);
  const pages = new Map([
    [
      'tidewatch.md',
      renderReference({
        title: 'tidewatch',
        intro:
          "What `import { … } from 'tidewatch'` offers, from the doc comments. The [guides](../README.md) come first.",
        sections: SECTIONS,
        names: main,
      }),
    ],
    [
      'testing.md',
      renderReference({
        title: 'tidewatch/testing',
        intro: "What `import { … } from 'tidewatch/testing'` offers. [Testing](../testing.md) shows how to use it.",
        sections: TESTING_SECTIONS,
        names: testing,
      }),
    ],
    [
      'workqueue.md',
      renderReference({
        title: 'tidewatch/workqueue',
        intro:
          "What `import { … } from 'tidewatch/workqueue'` offers. [Work queues](../work-queues.md) shows how to use it.",
        sections: WORKQUEUE_SECTIONS,
        names: workqueue,
      }),
    ],
    [
      'metrics.md',
      renderReference({
        title: 'tidewatch/metrics',
        intro: "What `import { … } from 'tidewatch/metrics'` offers. [Metrics](../metrics.md) shows how to use it.",
        sections: [
          { title: 'Adapters', folders: ['metrics/'] },
          { title: 'Other', folders: [] },
        ],
        names: metrics,
      }),
    ],
    [
      'controller.md',
      renderReference({
        title: 'tidewatch/controller',
        intro:
          "What `import { … } from 'tidewatch/controller'` offers. [Controllers](../controllers.md) shows how to use it.",
        sections: CONTROLLER_SECTIONS,
        names: controller,
      }),
    ],
    [
      'client-node.md',
      renderReference({
        title: 'tidewatch/client-node',
        intro:
          "What `import { … } from 'tidewatch/client-node'` offers. [From client-node](../from-client-node.md) shows how to use it.",
        sections: CLIENT_NODE_SECTIONS,
        names: clientNode,
      }),
    ],
    [
      'inspector.md',
      renderReference({
        title: 'tidewatch/inspector',
        intro:
          "What `import { … } from 'tidewatch/inspector'` offers. [The inspector](../inspector.md) shows how to use it.",
        sections: INSPECTOR_SECTIONS,
        names: inspector,
      }),
    ],
    ['api.md', renderTokens(await tokenModules())],
  ]);
  return { pages, guideText };
}

/** What a user may have to name can be imported. */
function mustBeExported(names: readonly DocumentedName[]): void {
  for (const { name, file, exported, mentionedBy } of names) {
    if (exported) continue;
    console.error(`${mentionedBy} speaks of ${name} (${file}), which no door exports: export it, or keep it inside.`);
    process.exitCode = 1;
  }
}

/** What its class says of a constructor, and the language of the end of a block. */
const SAID_ELSEWHERE = /^new |^\[Symbol\./;

/** Every exported name says what it is for; so does every method of a class, and every field of what is handed in whole. */
function mustBeDocumented(names: readonly DocumentedName[]): void {
  for (const { name, file, exported, doc, kind, members } of names) {
    if (!exported) continue;
    const isMethod = (signature: string) => /^[\w.]+(<.*?>)?\(/.test(signature) && !SAID_ELSEWHERE.test(signature);
    const mustSay = (signature: string) =>
      kind === 'class' ? isMethod(signature) : /(Options|Definition)$/.test(name) && kind === 'interface';
    const silent = members.filter((member) => member.doc === '' && mustSay(member.signature));
    for (const what of [...(doc === '' ? [name] : []), ...silent.map(({ signature }) => `${name}.${signature}`)]) {
      console.error(`${file}: ${what} has no doc comment: say what it is for, and its default.`);
      process.exitCode = 1;
    }
  }
}

/** Every option of everything that is exported, found by the types of the parameters. Errors are made by the library. */
function mustSayWhatTheyDo(parameters: readonly OptionParameter[]): void {
  const silent = parameters
    .filter(({ call }) => !/^new \w+Error$/.test(call))
    .flatMap(({ call, options }) =>
      options.filter(({ doc }) => doc === '').map(({ name, where }) => `${where}: ${name}, an option of ${call},`),
    );
  for (const what of new Set(silent)) {
    console.error(`${what} has no doc comment: say what it does, and its default.`);
    process.exitCode = 1;
  }
}

const { pages, guideText } = await makePages();
if (process.argv.includes('--check')) {
  const there = existsSync(folder) ? readdirSync(folder) : [];
  const stale = [...new Set([...there, ...pages.keys()])].filter((name) => {
    const file = join(folder, name);
    return !existsSync(file) || readFileSync(file, 'utf8') !== pages.get(name);
  });
  if (readFileSync(guide, 'utf8') !== guideText) stale.push('the tables of options in docs/informers.md');
  if (stale.length > 0) {
    console.error(`the reference is not up to date (${stale.join(', ')}): run npx tsx scripts/generate-reference.ts`);
    process.exitCode = 1;
  } else console.log(`${pages.size} pages of docs/reference are up to date.`);
} else {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of pages) writeFileSync(join(folder, name), text);
  writeFileSync(guide, guideText);
}
