/**
 * One LIST of all pods: how long it takes. With `--client tidewatch` that of an informer, from its start until it has synced; with `--client bare`
 * that of a socket of Node which drops what it reads, until the end of the answer.
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { parseArgs } from 'node:util';
import { Cluster, leveled, SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { Measurement, report } from './measurement.ts';

const { values } = parseArgs({
  options: {
    server: { type: 'string', default: '' },
    ca: { type: 'string' },
    token: { type: 'string', default: '' },
    gzip: { type: 'boolean', default: false },
    client: { type: 'string', default: 'tidewatch' },
  },
});

/** The end of a body in chunks. */
const LAST_CHUNK = '0\r\n\r\n';

await (values.client === 'bare' ? bare() : tidewatch());

async function tidewatch(): Promise<void> {
  const logger = leveled(console, 'error');
  const cluster = await Cluster.connect({
    server: values.server,
    certificateAuthority: values.ca,
    token: values.token,
    userAgent: 'tidewatch-benchmark',
    disableCompression: !values.gzip,
    kubeconfig: [],
    env: {},
    serviceAccountFolder: '/nonexistent',
    logger,
  });
  const factory = new SharedInformerFactory(cluster, { logger, watchList: false });
  const informer = factory.for(pods).informer();
  const sync = new Measurement();
  factory.start();
  await informer.waitForSync();
  const { seconds, cpuSeconds } = await sync.end();
  report({ seconds, cpuSeconds, objects: informer.indexer.listKeys().length });
  await factory.shutdown();
  await cluster.close();
}

async function bare(): Promise<void> {
  const { hostname, port, host } = new URL(values.server);
  const headers = [
    `host: ${host}`,
    'accept: application/vnd.kubernetes.protobuf,application/json',
    `authorization: Bearer ${values.token}`,
    'user-agent: bare-benchmark',
    ...(values.gzip ? ['accept-encoding: gzip'] : []),
  ];
  const request = `GET /api/v1/pods?resourceVersion=0 HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
  const read = new Measurement();
  const ca = values.ca === undefined ? undefined : readFileSync(values.ca);
  const bytes = await new Promise<number>((resolve, reject) => {
    let count = 0;
    const buffer = Buffer.allocUnsafeSlow(64 * 1024);
    const callback = (length: number) => {
      count += length;
      if (buffer.toString('latin1', Math.max(0, length - LAST_CHUNK.length), length) === LAST_CHUNK) resolve(count);
      return true;
    };
    // Node takes `onread` here as in `net.connect`; its types do not say so.
    const options = { host: hostname, port: Number(port), ca, onread: { buffer, callback } };
    const socket = connect(options);
    socket.on('error', reject).on('secureConnect', () => socket.write(request));
  });
  const { seconds, cpuSeconds } = await read.end();
  report({ seconds, cpuSeconds, bytes });
  process.exit();
}
