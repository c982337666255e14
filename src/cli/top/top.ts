import type { Cluster } from '../../cluster/cluster.ts';
import { leases } from '../../generated/api/coordination/v1.ts';
import type { CliIo } from '../cli-io.ts';
import type { Invocation } from '../command.ts';
import { connect } from '../connection-flags.ts';
import { capabilitiesOf } from '../terminal/capabilities.ts';
import { Painter } from '../terminal/style.ts';
import { askAll, statusUrl } from './health-answers.ts';
import { tableLines } from './top-lines.ts';
import type { TopRequest } from './top-request.ts';
import { TopScreen } from './top-screen.ts';
import { topRows } from './top-table.ts';

export async function top(invocation: Invocation): Promise<number> {
  const { io, flags, positionals } = invocation;
  const health = flags.texts('health').map(statusUrl);
  const cluster = await connect(invocation);
  const leave = () => void cluster.close();
  io.signal.addEventListener('abort', leave, { once: true });
  try {
    const namespace = flags.text('namespace') ?? cluster.namespace;
    return await topOn(cluster, { namespace, name: positionals[0], health, plain: flags.on('plain') }, io);
  } finally {
    io.signal.removeEventListener('abort', leave);
    await cluster.close();
  }
}

/** The same on a cluster that is already found. */
async function topOn(cluster: Cluster, request: TopRequest, io: CliIo): Promise<number> {
  const { namespace, name } = request;
  // Whatever the server has against the request shows here, at once; an informer would go on trying.
  const { items } = await cluster.client(leases).list({ namespace, signal: io.signal });
  const capabilities = capabilitiesOf(io.stdout, io.env);
  const painter = new Painter(capabilities);
  if (capabilities.live && !request.plain) return new TopScreen({ cluster, request, io, painter }).run();
  const answers = await askAll(request.health, io.signal);
  for (const answer of answers) if ('error' in answer) io.stderr.write(`${painter.plain(answer.error)}\n`);
  const rows = topRows(items, answers, { nowMs: io.clock.now(), name });
  if (rows.length === 0) io.stderr.write(`No Leases found in namespace "${namespace}".\n`);
  else io.stdout.write(`${tableLines(rows, painter).join('\n')}\n`);
  return 0;
}
