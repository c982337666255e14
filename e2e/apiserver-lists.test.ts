import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answered, TwoServers } from './two-servers-fixture.ts';

const ns = `lists-${process.pid}`;
const objects = `/api/v1/namespaces/${ns}/configmaps`;
const OLD = ['', '0', 'x', '-1', '1.5', '999999999', '99999999999999999999'];
const MATCHES = ['', 'Exact', 'NotOlderThan', 'exact'];
const LIMITS = ['', '0', '1', '-1', 'x', '9223372036854775808'];
const CONTINUES = ['x', 'MQ', 'abcde', 'a*b', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ'];
const FIELDS = [
  'metadata.name=a',
  'metadata.name!=a',
  'metadata.name==a',
  'metadata.namespace=x',
  'metadata.name=a,metadata.name=b',
  'metadata.name=a\\,b',
  'metadata.name=a\\x',
  'metadata.name=a\\',
  'metadata.name=a=b',
  'metadata.name',
  'metadata.name in (a)',
  'metadata.labels.a=b',
  'foo=bar',
  'a,b=c',
  ',',
];
const LABELS = [
  ...['n=a', 'n==a', 'n!=a', 'n', '!n', 'n=', 'n in (a,b)', 'n notin (a)', 'n>1', 'n=a,n=b', 'in in (in)'],
  ...['a b', 'n in', 'n in ()', 'n in (', 'n in (a', 'n in (a,,b)', 'n in (,)', 'n in a', 'n in (=)', 'n in (a b)'],
  ...['!', '!=a', ',', 'n,', 'n,,m', 'n!', 'n=a=b', 'n in (a),', 'n<', 'n>x', '(n)', '=a', 'n=a b', '-n', 'n=-'],
  ...['a/b/c=d', 'n in (-a)', `n=${'x'.repeat(64)}`, 'n ! a'],
];
const WATCHES = ['watch=true&timeoutSeconds=1', 'watch=1&timeoutSeconds=1', 'watch&timeoutSeconds=1'];
const INITIAL = ['', 'true', 'false', 'x'];

const given = (parameters: Record<string, string>): string =>
  Object.entries(parameters)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

const QUERIES = [
  ...OLD.flatMap((resourceVersion) =>
    MATCHES.flatMap((resourceVersionMatch) =>
      LIMITS.map((limit) => given({ resourceVersion, resourceVersionMatch, limit })),
    ),
  ),
  ...CONTINUES.flatMap((token) => [
    given({ continue: token }),
    given({ continue: token, resourceVersion: '0' }),
    given({ continue: token, resourceVersionMatch: 'Exact' }),
  ]),
  ...FIELDS.map((fieldSelector) => given({ fieldSelector })),
  ...LABELS.map((labelSelector) => given({ labelSelector })),
  'sendInitialEvents=true',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  'allowWatchBookmarks=true',
  'timeoutSeconds=x',
  ...WATCHES,
  'watch=true&timeoutSeconds=1.5',
  ...['', '0', 'x', '-1', '999999999'].flatMap((resourceVersion) =>
    ['', 'Exact', 'NotOlderThan', 'foo'].flatMap((resourceVersionMatch) =>
      INITIAL.map(
        (sendInitialEvents) => `${WATCHES[0]}&${given({ resourceVersion, resourceVersionMatch, sendInitialEvents })}`,
      ),
    ),
  ),
  ...['foo=bar', 'metadata.name=a'].map((fieldSelector) => `${WATCHES[0]}&${given({ fieldSelector })}`),
  ...['a b', 'n=a'].map((labelSelector) => `${WATCHES[0]}&${given({ labelSelector })}`),
];

describe('the embedded server and the real one list and watch alike', () => {
  let servers: TwoServers;

  beforeAll(async () => {
    servers = await TwoServers.start({ controllers: false });
    await servers.ask({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: ns } } });
    for (const name of ['a', 'b', 'c']) {
      await servers.ask({ method: 'POST', path: objects, body: { metadata: { name, labels: { n: name } } } });
    }
  });
  afterAll(async () => {
    await servers?.askReal({ method: 'DELETE', path: `/api/v1/namespaces/${ns}` });
    await servers?.stop();
  });

  it.concurrent.each(QUERIES)('%s', async (query) => {
    const asked = { method: 'GET', path: `${objects}?${query}` };
    const [real, ours] = await Promise.all([servers.askReal(asked), servers.askOurs(asked)]);
    expect(withoutRevision(ours)).toEqual(withoutRevision(real));
  });
});

/** Each server is at a revision of its own. */
function withoutRevision(answer: Answered): unknown {
  return JSON.parse(JSON.stringify(answer).replace(/current: \d+/g, 'current: its own'));
}
