import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import type { Transport, TransportRequest } from '../../api/transport.ts';
import { INITIAL_EVENTS_END } from '../../api/watch-event.ts';
import { SharedIndexInformer } from '../../informer/shared-index-informer.ts';
import { silentLogger } from '../../observe/logger.ts';
import { CELLS, type TableRow } from './table-rows.ts';
import { TableSource } from './table-source.ts';
import type { WatchTarget } from './watch-target.ts';

const target: WatchTarget = {
  resource: {
    group: 'stable.example.com',
    version: 'v1',
    plural: 'crontabs',
    kind: 'CronTab',
    namespaced: true,
    singular: 'crontab',
    shortNames: [],
    categories: [],
    verbs: [],
    subresources: [],
  },
  namespace: 'default',
  selection: { labelSelector: 'a=b' },
  title: '',
  typeName: '',
};

type Answer = { status?: number; headers?: Record<string, string>; body: unknown[] };

/** Answers each request with the next of these: the body in JSON, one line for each of its parts. */
function scripted(answers: readonly Answer[]): { transport: Transport; requests: TransportRequest[] } {
  const requests: TransportRequest[] = [];
  const transport: Transport = {
    async request(request) {
      const { status = 200, headers = {}, body } = answers[requests.length] ?? { status: 500, body: [{}] };
      requests.push(request);
      return {
        status,
        headers: new Map(Object.entries(headers)),
        body: (async function* () {
          for (const part of body) yield Buffer.from(`${typeof part === 'string' ? part : JSON.stringify(part)}\n`);
        })(),
      };
    },
    close: async () => {},
  };
  return { transport, requests };
}

const object = (name: string, version: string) => ({
  metadata: { name, namespace: 'default', resourceVersion: version, managedFields: [{ manager: 'x' }] },
});
const columnDefinitions = [
  { name: 'Name', type: 'string' },
  { name: 'Schedule', type: 'string' },
];
const table = (rows: unknown[], metadata: object = {}, columns: unknown = columnDefinitions) => ({
  kind: 'Table',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
  columnDefinitions: columns,
  rows,
});

/** What an informer makes of it, when the script has run out. */
async function informed(
  answers: readonly Answer[],
  count: number,
): Promise<{ rows: TableRow[]; source: TableSource; requests: TransportRequest[] }> {
  const { transport, requests } = scripted(answers);
  const source = new TableSource(transport, target);
  const informer = new SharedIndexInformer<TableRow>({ listWatch: source.listWatch(), logger: silentLogger });
  const rows: TableRow[] = [];
  let done = () => {};
  const enough = new Promise<void>((resolve) => {
    done = resolve;
  });
  const take = (row: TableRow) => {
    rows.push(row);
    if (rows.length === count) done();
  };
  informer.addEventHandler({ onAdd: take, onUpdate: (_old, row) => take(row), onDelete: take });
  const running = informer.run();
  await enough;
  await informer.stop();
  await running;
  return { rows, source, requests };
}

describe('a source of tables', () => {
  it('streams rows with their objects, and remembers the columns of the first', async () => {
    const end = { metadata: { resourceVersion: '9', annotations: { [INITIAL_EVENTS_END]: 'true' } } };
    const { rows, source, requests } = await informed(
      [
        {
          body: [
            { type: 'ADDED', object: table([{ cells: ['one', '* *'], object: object('one', '5') }]) },
            { type: 'BOOKMARK', object: table([{ cells: ['', ''], object: end }], {}, null) },
            { type: 'MODIFIED', object: table([{ cells: ['one', '0 3'], object: object('one', '10') }], {}, null) },
          ],
        },
      ],
      2,
    );
    expect(rows.map((row) => row[CELLS])).toEqual([
      ['one', '* *'],
      ['one', '0 3'],
    ]);
    expect(rows[1]).toEqual({
      kind: 'CronTab',
      apiVersion: 'stable.example.com/v1',
      metadata: { name: 'one', namespace: 'default', resourceVersion: '10' },
      [CELLS]: ['one', '0 3'],
    });
    expect(source.columns).toEqual(columnDefinitions);
    expect(source.progress.received).toBe(1);
    const [request] = requests;
    expect(request?.headers?.accept).toBe('application/json;as=Table;v=v1;g=meta.k8s.io,application/json');
    expect(request?.path).toBe('/apis/stable.example.com/v1/namespaces/default/crontabs');
    const query = new URLSearchParams(request?.query);
    expect(Object.fromEntries(query)).toMatchObject({
      includeObject: 'Object',
      labelSelector: 'a=b',
      watch: 'true',
      sendInitialEvents: 'true',
    });
  });

  it('lists page by page where streams are refused, and knows how far it is', async () => {
    const refusal = {
      kind: 'Status',
      status: 'Failure',
      code: 422,
      reason: 'Invalid',
      message: 'sendInitialEvents is forbidden',
    };
    const steps: unknown[] = [];
    const answers = [
      { status: 422, body: [refusal] },
      {
        body: [
          table([{ cells: ['one', ''], object: object('one', '5') }], {
            resourceVersion: '9',
            continue: 'more',
            remainingItemCount: 1,
          }),
        ],
      },
      { body: [table([{ cells: ['two', ''], object: object('two', '6') }], { resourceVersion: '9' })] },
      { body: [] },
    ];
    const { transport, requests } = scripted(answers);
    const source = new TableSource(transport, target);
    source.onProgress = () => steps.push({ ...source.progress });
    const informer = new SharedIndexInformer<TableRow>({ listWatch: source.listWatch(), logger: silentLogger });
    const running = informer.run();
    expect(await informer.waitForSync()).toBe(true);
    await informer.stop();
    await running;
    expect(steps).toEqual([
      { received: 1, total: 2 },
      { received: 2, total: 2 },
    ]);
    const queries = requests.map(({ query }) => Object.fromEntries(new URLSearchParams(query)));
    expect(queries[1]).toMatchObject({ limit: '500', includeObject: 'Object' });
    expect(queries[1]).not.toHaveProperty('resourceVersion');
    expect(queries[2]).toMatchObject({ continue: 'more' });
  });

  it('makes rows of plain objects where the server knows no tables', async () => {
    const { transport } = scripted([
      { body: [{ kind: 'CronTabList', metadata: { resourceVersion: '9' }, items: [object('one', '5')] }] },
    ]);
    const source = new TableSource(transport, target);
    await source.probe(new AbortController().signal);
    expect(source.columns.map(({ name }) => name)).toEqual(['Name', 'Age']);
    expect(source.progress).toEqual({ received: 0, total: 1 });
  });

  it('throws what the server has against it, with the time to wait', async () => {
    const { transport } = scripted([{ status: 429, headers: { 'retry-after': '3' }, body: ['too many'] }]);
    const failed = new TableSource(transport, target).probe(new AbortController().signal);
    await expect(failed).rejects.toThrow(ApiError);
    await expect(failed).rejects.toMatchObject({ code: 429, retryAfterSeconds: 3 });
  });
});
