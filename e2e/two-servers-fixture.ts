import { Agent, request } from 'undici';
import { ApiServer, type ApiServerOptions } from '../src/apiserver/apiserver.ts';
import { isObject, type JsonValue } from '../src/apiserver/values/json.ts';
import { type SharedControlPlane, sharedControlPlane } from './shared-control-plane-fixture.ts';

export interface AskedRequest {
  method: string;
  path: string;
  /** A text is sent as it is. */
  body?: JsonValue;
  type?: string;
  headers?: Record<string, string>;
}

export interface Answered {
  status: number;
  warnings: string | string[] | undefined;
  body: JsonValue;
}

/** For conditions that a real server on a busy machine may take long to meet; most are met at once. */
export const EVENTUALLY = { timeout: 120_000, interval: 100 } as const;

interface Side {
  readonly url: string;
  readonly token: string;
  readonly agent: Agent;
}

/** The real server and the embedded one, asked the same. */
export class TwoServers {
  readonly #server: ApiServer;
  readonly #real: Side;
  readonly #ours: Side;

  private constructor(server: ApiServer, plane: Pick<SharedControlPlane, 'server' | 'token' | 'ca'>) {
    this.#server = server;
    this.#real = { url: plane.server, token: plane.token, agent: new Agent({ connect: { ca: plane.ca } }) };
    this.#ours = { url: server.url, token: server.token ?? '', agent: new Agent({ connect: { ca: server.ca ?? '' } }) };
  }

  /** `plane` is the control plane that all tests share, unless the test has one for itself. */
  static async start(
    options: ApiServerOptions = {},
    plane: Pick<SharedControlPlane, 'server' | 'token' | 'ca'> = sharedControlPlane(),
  ): Promise<TwoServers> {
    return new TwoServers(await ApiServer.start(options), plane);
  }

  async stop(): Promise<void> {
    await this.#real.agent.close();
    await this.#ours.agent.close();
    await this.#server.stop();
  }

  get embedded(): ApiServer {
    return this.#server;
  }

  askReal(one: AskedRequest): Promise<Answered> {
    return send(this.#real, one);
  }

  askOurs(one: AskedRequest): Promise<Answered> {
    return send(this.#ours, one);
  }

  /** Both answers, without what must differ. */
  async ask(one: AskedRequest): Promise<{ real: Answered; ours: Answered }> {
    return { real: await this.askReal(one), ours: await this.askOurs(one) };
  }
}

async function send(side: Side, one: AskedRequest): Promise<Answered> {
  const { body } = one;
  const text = body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body);
  const response = await request(`${side.url}${one.path}`, {
    dispatcher: side.agent,
    method: one.method as 'GET',
    headers: {
      authorization: `Bearer ${side.token}`,
      'user-agent': 'two-servers/1',
      ...(text === null ? {} : { 'content-type': one.type ?? 'application/json' }),
      ...one.headers,
    },
    body: text,
  });
  const answer = await response.body.text();
  const isJson = response.headers['content-type'] === 'application/json';
  return {
    status: response.statusCode,
    warnings: response.headers.warning,
    body: isJson ? alike(documents(answer)) : answer,
  };
}

/** One document; of a watch, all of them. */
function documents(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JsonValue);
  }
}

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** Without identities, times, revisions and owners. */
function alike(value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) return value.map((item) => alike(item));
  if (isObject(value)) {
    const kept = Object.entries(value).filter(([name]) => name !== 'managedFields');
    return Object.fromEntries(kept.map(([name, item]) => [name, alike(item ?? null, name)]));
  }
  if (key === 'resourceVersion' || key === 'continue') return 'its own';
  if (typeof value !== 'string') return value;
  return value
    .replace(UID, 'UID')
    .replace(TIME, 'TIME')
    .replace(/media types are accepted: .*|Available representations: .*/s, 'media types')
    .replace(/\b10\.\d+\.\d+\.\d+\b/g, 'an address')
    .replace(/Invalid value: "\{.*\}":/s, 'Invalid value: an object:');
}
