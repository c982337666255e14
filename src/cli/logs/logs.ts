import { FieldSelector } from '../../api/field-selector.ts';
import { LabelSelector } from '../../api/label-selector.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { LogsOfOptions, PodLogLine } from '../../cluster/pods/pod-options.ts';
import { pods } from '../../generated/api/core/v1.ts';
import { UsageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { connect } from '../connection-flags.ts';
import { parseDuration } from '../duration.ts';
import { capabilitiesOf } from '../terminal/capabilities.ts';
import { Painter } from '../terminal/style.ts';
import { LineWriter } from '../watch/line-writer.ts';
import { LinePrefix } from './line-prefix.ts';

export async function logs(invocation: Invocation): Promise<number> {
  const cluster = await connect(invocation);
  try {
    return await logsOn(cluster, invocation);
  } finally {
    await cluster.close();
  }
}

/** The same on a cluster that is already found. */
export async function logsOn(cluster: Cluster, invocation: Invocation): Promise<number> {
  const { flags, io, positionals } = invocation;
  const [begin = ''] = positionals;
  if (begin.includes('/')) {
    throw new UsageError(`"${begin}" is not the beginning of a name`, 'Write "tidewatch logs web", or use --selector.');
  }
  const labelSelector = LabelSelector.parse(flags.text('selector') ?? '').toString();
  const options = logOptions(invocation, begin);
  const namespace = flags.on('all-namespaces') ? '' : (flags.text('namespace') ?? cluster.namespace);
  const painter = new Painter(capabilitiesOf(io.stdout, io.env));
  const prefix = new LinePrefix(painter, { namespaces: namespace === '' });
  const writer = new LineWriter(io.stdout, io.signal);
  const withPrefix = !flags.on('no-prefix');
  let shown = 0;
  const lines = cluster.client(pods).logsOf(labelSelector, { ...options, namespace, signal: io.signal });
  for await (const line of lines) {
    shown += 1;
    await writer.write(`${withPrefix ? prefix.of(line) : ''}${painter.plain(text(line))}\n`);
  }
  if (io.signal.aborted) throw io.signal.reason;
  if (shown === 0) io.stderr.write(`No lines found${namespace === '' ? '' : ` in namespace "${namespace}"`}.\n`);
  return 0;
}

/** A carriage return would draw over the prefix. */
function text({ line }: PodLogLine): string {
  return line.replace(/\r+$/, '');
}

function logOptions({ flags }: Invocation, begin: string): LogsOfOptions {
  const fieldSelector = FieldSelector.parse(flags.text('field-selector') ?? '').toString();
  const since = flags.text('since');
  const tail = flags.text('tail');
  if (tail !== undefined && !/^\d{1,9}$/.test(tail))
    throw new UsageError(`--tail must be a number of lines, not "${tail}"`);
  return {
    container: flags.text('container'),
    follow: flags.on('follow'),
    timestamps: flags.on('timestamps'),
    ...(since !== undefined && { sinceSeconds: Math.max(1, Math.ceil(parseDuration('--since', since) / 1000)) }),
    ...(tail !== undefined && { tailLines: Number(tail) }),
    ...(fieldSelector !== '' && { fieldSelector }),
    ...(begin !== '' && { matches: ({ name }: { name: string }) => name.startsWith(begin) }),
  };
}
