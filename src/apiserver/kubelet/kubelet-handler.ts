import type { Api } from '../api.ts';
import { bytesResponse, type ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { badRequest, internalError, notFound, statusError } from '../request/status-error.ts';
import { keyFor } from '../storage/object-writer.ts';
import type { Kubelet, KubeletLogRequest, KubeletTarget } from './kubelet.ts';
import { servePort, serveProgram } from './kubelet-sessions.ts';
import { acceptKey, ServerSocket } from './server-socket.ts';

const PROGRAM_PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const PORT_PROTOCOLS = ['v4.channel.k8s.io'];

/** `log`, `exec`, `attach` and `portforward` of a pod: what the real server hands to the kubelet of its node. */
export async function handleKubelet(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const { resource, info, request } = scope;
  const stored = resource.table.objects.get(keyFor(scope.namespace, info.name));
  if (!stored) throw notFound(resource, info.name);
  const kubelet: Kubelet = api.kubelet ?? {};
  const { namespace } = scope;
  const pod = info.name;
  const target = (): KubeletTarget => ({
    namespace,
    pod,
    container: containerOf(stored.decode(), pod, request.query.get('container')),
    signal: request.signal,
  });
  if (info.subresource === 'log' && kubelet.log)
    return logResponse(kubelet.log, { ...target(), ...logOptions(request.query) });
  if (info.subresource === 'exec' || info.subresource === 'attach') {
    const program = kubelet[info.subresource];
    if (program) {
      const session = {
        ...target(),
        command: request.query.getAll('command'),
        tty: request.query.get('tty') === 'true',
        hasInput: request.query.get('stdin') === 'true',
      };
      return upgradeResponse(scope, PROGRAM_PROTOCOLS, (socket) => serveProgram(socket, session, program));
    }
  }
  const forward = kubelet.portForward;
  if (info.subresource === 'portforward' && forward) {
    const port = Number(request.query.get('ports'));
    if (!Number.isInteger(port) || port < 1) throw badRequest('query parameter "port" is required');
    const opened = { namespace, pod, port, signal: request.signal };
    return upgradeResponse(scope, PORT_PROTOCOLS, (socket) => servePort(socket, opened, forward));
  }
  throw statusError(501, 'NotImplemented', `${info.subresource} needs a node, which this server does not have`);
}

/** As the real server: a pod with several containers needs the name of one, unless an annotation has it. */
function containerOf(pod: unknown, name: string, asked: string | null): string {
  const { spec, metadata } = pod as {
    spec?: Record<string, { name?: string }[] | undefined>;
    metadata?: { annotations?: Record<string, string> };
  };
  const names = (field: string) => (spec?.[field] ?? []).map((container) => container.name ?? '');
  const main = names('containers');
  const all = [...names('initContainers'), ...main, ...names('ephemeralContainers')];
  if (asked) {
    if (!all.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
    return asked;
  }
  const preferred = metadata?.annotations?.['kubectl.kubernetes.io/default-container'];
  if (preferred !== undefined && main.includes(preferred)) return preferred;
  const [only = ''] = main;
  if (main.length > 1) {
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${main.join(' ')}]`);
  }
  return only;
}

function logOptions(query: URLSearchParams): Omit<KubeletLogRequest, keyof KubeletTarget> {
  const count = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
  const flag = (name: string) => query.get(name) === 'true';
  return {
    follow: flag('follow'),
    previous: flag('previous'),
    timestamps: flag('timestamps'),
    sinceSeconds: count('sinceSeconds'),
    tailLines: count('tailLines'),
  };
}

async function logResponse(log: NonNullable<Kubelet['log']>, request: KubeletLogRequest): Promise<ServerResponse> {
  let text: Awaited<ReturnType<typeof log>>;
  try {
    text = await log(request);
  } catch (error) {
    throw internalError(error instanceof Error ? error.message : String(error));
  }
  if (typeof text === 'string') return bytesResponse(200, Buffer.from(text), 'text/plain');
  return { status: 200, headers: [['content-type', 'text/plain']], body: bytesOf(text), streaming: true };
}

async function* bytesOf(text: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of text) yield Buffer.from(piece);
}

function upgradeResponse(
  { request, info }: ResourceScope,
  known: readonly string[],
  serve: (socket: ServerSocket) => Promise<void>,
): ServerResponse {
  const key = request.headers['sec-websocket-key'];
  if (!request.canUpgrade || request.headers.upgrade?.toLowerCase() !== 'websocket' || !key) {
    throw badRequest(`${info.subresource} needs a WebSocket: this server does not speak SPDY`);
  }
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const chosen = offered.find((name) => known.includes(name));
  if (chosen === undefined) throw statusError(403, 'Forbidden', `no known subprotocol among: ${offered.join(', ')}`);
  return {
    status: 101,
    headers: [
      ['upgrade', 'websocket'],
      ['connection', 'Upgrade'],
      ['sec-websocket-accept', acceptKey(key)],
      ['sec-websocket-protocol', chosen],
    ],
    body: new Uint8Array(),
    upgraded(connection) {
      const socket = new ServerSocket(connection);
      serve(socket).catch(() => socket.destroy());
    },
  };
}
