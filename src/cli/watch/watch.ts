import { metaNamespaceKey } from '../../api/key.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { defineResource } from '../../api/resource.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { SharedIndexInformer } from '../../informer/shared-index-informer.ts';
import { silentLogger } from '../../observe/logger.ts';
import { CliError } from '../cli-error.ts';
import type { CliIo } from '../cli-io.ts';
import type { Invocation } from '../command.ts';
import { connect } from '../connection-flags.ts';
import { observedTransport } from '../exchange-observer.ts';
import { capabilitiesOf } from '../terminal/capabilities.ts';
import { follow, WatchFailures } from './follow.ts';
import { LineWriter } from './line-writer.ts';
import { eventLine, jsonLine, nameLine, type ObjectLine, typedEventLine } from './object-output.ts';
import { RowOutput } from './row-output.ts';
import type { TableRow } from './table-rows.ts';
import { TableSource } from './table-source.ts';
import { viewColumns } from './table-view.ts';
import type { WatchContext } from './watch-context.ts';
import { type WatchRequest, watchRequest } from './watch-request.ts';
import { WatchScreen } from './watch-screen.ts';
import { severalRequests, watchSeveral } from './watch-several.ts';
import { watchTarget } from './watch-target.ts';

export async function watch(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const request = watchRequest(invocation);
  const cluster = await connect(invocation);
  const leave = () => void cluster.close();
  io.signal.addEventListener('abort', leave, { once: true });
  try {
    const several = await severalRequests(cluster, request);
    if (several !== undefined) return await watchSeveral(cluster, several, io, watchOn);
    return await watchOn(cluster, request, io);
  } finally {
    io.signal.removeEventListener('abort', leave);
    await cluster.close();
  }
}

/** The same on a cluster that is already found. */
export async function watchOn(cluster: Cluster, request: WatchRequest, io: CliIo): Promise<number> {
  const target = await watchTarget(cluster, request);
  let accepted = false;
  const transport = observedTransport(cluster.transport, ({ isWatch, status }) => {
    if (isWatch && status === 200) accepted = true;
  });
  const context = { io, request, target, cluster, transport, watchAccepted: () => accepted };
  if (request.output === 'json') return watchObjects(context, jsonLine);
  if (request.output === 'events') {
    const line = request.isOneOfSeveral ? typedEventLine(target.typeName) : eventLine;
    return watchObjects(context, line, { metadataOnly: true });
  }
  if (request.output === 'name') return watchObjects(context, nameLine(target.typeName), { metadataOnly: true });
  return watchTable(context);
}

/** One line for each event. */
async function watchObjects(context: WatchContext, line: ObjectLine, { metadataOnly = false } = {}): Promise<number> {
  const { io, request, target, cluster, transport } = context;
  // Whatever the server has against the request shows here, at once; an informer would go on trying.
  await cluster
    .client(target.resource, target.namespace === undefined ? {} : { namespace: target.namespace })
    .list({ limit: 1, ...target.selection, signal: io.signal });
  const failures = new WatchFailures(context);
  const informer = new SharedIndexInformer<KubernetesObject>({
    cluster: { transport },
    resource: target.resource,
    metadataOnly,
    tweakListOptions: (options) => void Object.assign(options, target.selection),
    ...(target.namespace !== undefined && { namespace: target.namespace }),
    resyncMs: request.resyncMs,
    clock: io.clock,
    logger: silentLogger,
    watchErrorHandler: failures.report,
  });
  const writer = new LineWriter(io.stdout, io.signal);
  let shown = 0;
  const registration = informer.addEventHandler({
    onAdd(object, isInInitialList) {
      if (isInInitialList) shown++;
      return isInInitialList && request.watchOnly ? undefined : writer.write(line('ADD', object));
    },
    onUpdate: (_old, object) => writer.write(line('UPDATE', object)),
    onDelete: (object, finalStateUnknown) => writer.write(line('DELETE', object, finalStateUnknown)),
  });
  return follow({ ...context, informer, registration, failures, onSynced: () => sayIfNone(context, shown) });
}

/** The server's columns: live in a terminal, as rows otherwise. */
async function watchTable(context: WatchContext): Promise<number> {
  const { io, request, target, transport } = context;
  const source = new TableSource(transport, target);
  await source.probe(io.signal);
  const failures = new WatchFailures(context);
  const informer = new SharedIndexInformer<TableRow>({
    listWatch: source.listWatch(),
    resource: defineResource<TableRow>(target.resource),
    resyncMs: request.resyncMs,
    clock: io.clock,
    logger: silentLogger,
    watchErrorHandler: failures.report,
  });
  const columns = () =>
    viewColumns(source.columns, {
      wide: request.output === 'wide',
      namespaces: target.resource.namespaced && target.namespace === undefined,
      labelColumns: request.labelColumns,
      showLabels: request.showLabels,
    });
  const capabilities = capabilitiesOf(io.stdout, io.env);
  if (capabilities.live && !request.plain && !request.exitAfterSync) {
    return new WatchScreen({ ...context, informer, source, columns, failures, capabilities }).run();
  }
  const output = new RowOutput({
    columns,
    headers: request.headers,
    showEvents: request.showEvents,
    now: () => io.clock.now(),
  });
  const writer = new LineWriter(io.stdout, io.signal);
  // A row of the start may change before all of them have come: the table shows what is true when it is printed.
  let initial: Map<string, TableRow> | undefined = new Map();
  const registration = informer.addEventHandler({
    onAdd(row) {
      if (initial === undefined) return writer.write(output.lines([['ADDED', row]]));
      initial.set(metaNamespaceKey(row), row);
      return undefined;
    },
    onUpdate(_old, row) {
      if (initial === undefined) return writer.write(output.lines([['MODIFIED', row]]));
      initial.set(metaNamespaceKey(row), row);
      return undefined;
    },
    onDelete(row) {
      if (initial === undefined) return writer.write(output.lines([['DELETED', row]]));
      initial.delete(metaNamespaceKey(row));
      return undefined;
    },
  });
  const onSynced = () => {
    const rows = [...(initial?.values() ?? [])].sort(compareRows);
    initial = undefined;
    sayIfNone(context, rows.length);
    return request.watchOnly ? undefined : writer.write(output.lines(rows.map((row) => ['ADDED', row])));
  };
  return follow({ ...context, informer, registration, failures, onSynced });
}

/** kubectl's words when there is nothing to show, and an error where something was named. */
function sayIfNone({ io, request, target }: WatchContext, shown: number): void {
  if (shown > 0 || request.watchOnly || request.isOneOfSeveral) return;
  const where = target.namespace === undefined ? '' : ` in namespace "${target.namespace}"`;
  if (request.name === undefined) io.stderr.write(`No resources found${where}.\n`);
  else if (!request.exitAfterSync) {
    io.stderr.write(`${target.resource.plural} "${request.name}" does not exist${where}; waiting for it.\n`);
  } else throw new CliError(`${target.resource.plural} "${request.name}" does not exist${where}`);
}

/** In the order of the server's keys. */
function compareRows(a: TableRow, b: TableRow): number {
  return (
    compareText(a.metadata?.namespace ?? '', b.metadata?.namespace ?? '') ||
    compareText(a.metadata?.name ?? '', b.metadata?.name ?? '')
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
