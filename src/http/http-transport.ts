import { isOpenEnded } from '../api/open-ended.ts';
import type {
  Transport,
  TransportRequest,
  TransportResponse,
  UpgradeRequest,
  UpgradeResponse,
} from '../api/transport.ts';
import { requestFailure, TransportError } from '../api/transport-error.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { interruptible } from '../observe/interruption.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import { markMetered, RequestMeter } from '../observe/request-meter.ts';
import { connectionError } from './connection-error.ts';
import { Exchange, type ExchangeLimits, FIRST_REFUSAL, Http1Dispatch } from './exchange.ts';
import { FixedCredentials } from './fixed-credentials.ts';
import { gunzipBody } from './gzip-body.ts';
import type { ClientCertificate, Credentials, Login } from './http.ts';
import { MalformedResponseError } from './http1/http1-error.ts';
import { type EncodedRequest, encodeRequest, isHeaderValue } from './http1/http1-request.ts';
import { publicUrl } from './public-url.ts';
import { Connector } from './socket/connector.ts';
import { proxyAuthorization } from './socket/http-tunnel.ts';
import type { ProxyServer } from './socket/proxy.ts';
import { SocketPool } from './socket/socket-pool.ts';
import { TlsContexts, type TlsTrust } from './socket/tls-trust.ts';
import { UpgradeAttempt } from './upgrade-attempt.ts';
import { defaultUserAgent } from './user-agent.ts';

export interface HttpTransportOptions {
  /** The URL of the API server; a path in it stands before the path of each request. */
  server: string;
  /** Who we are. Default: nobody. */
  credentials?: Credentials;
  /** What a 401 has refused, in words and without anything secret: whose login, and where it comes from. */
  loginName?: string | undefined;
  tls?: TlsTrust;
  proxy?: ProxyServer | undefined;
  /** Do not ask for gzip. Default false. client-go's `DisableCompression`. */
  disableCompression?: boolean;
  /** Until a connection stands, TLS and proxy included. Default 30 s, as client-go's dialer. */
  connectTimeoutMs?: number;
  /** Until the head of a response is there, for requests that do not say. 0: no limit. Default 60 s. */
  headersTimeoutMs?: number;
  /** How long a body may bring nothing, unless it is a watch's. 0: no limit. Default 60 s. */
  stallTimeoutMs?: number;
  /** Default: `tidewatch/<version> (node/…; …)`. */
  userAgent?: string;
  /** Whose time and turns it goes by. Default: the machine's. */
  clock?: Clock;
  logger?: Logger;
  metrics?: Metrics;
}

/** How long the body of a refusal may take: an explanation is not worth a long wait. */
const REFUSAL_MS = 10_000;

const EMPTY: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
};

/** The sockets that belong to one client certificate. */
interface Lane {
  certificate: ClientCertificate | undefined;
  connector: Connector;
  pool: SocketPool;
}

/**
 * `Transport` over sockets: HTTP/1.1 with one socket for each running request and no cap on their number, so that no
 * request ever waits behind the watches. Idle sockets do not hold the process.
 */
export class HttpTransport implements Transport {
  /** Without anything secret. */
  readonly server: string;
  readonly #url: URL;
  readonly #options: HttpTransportOptions;
  readonly #credentials: Credentials;
  readonly #clock: Clock;
  readonly #userAgent: string;
  readonly #meter: RequestMeter;
  readonly #exchanges = new Set<Exchange>();
  readonly #upgrades = new Set<UpgradeAttempt>();
  /** The one in use. Sockets of one before it serve out their running requests. */
  #lane: Lane | undefined;
  readonly #closing = new AbortController();

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#url = new URL(options.server);
    this.#url.username = '';
    this.#url.password = '';
    this.server = publicUrl(options.server);
    this.#credentials = options.credentials ?? new FixedCredentials();
    this.#clock = options.clock ?? systemClock;
    this.#userAgent = options.userAgent ?? defaultUserAgent();
    markMetered(this);
    this.#meter = new RequestMeter({ host: this.#url.host, clock: this.#clock, metrics: options.metrics });
    if (options.tls?.insecure && this.#url.protocol === 'https:') {
      safeLogger(options.logger).warn(
        `The certificate of ${this.server} is not verified (insecure-skip-tls-verify): anybody on the way can read and change what is sent.`,
      );
    }
  }

  /** What a first request would wait for, as far as it needs neither login nor server. Sends nothing, and never rejects. */
  prepare(): Promise<void> {
    return this.#laneFor(undefined).connector.prepare();
  }

  request(request: TransportRequest): Promise<TransportResponse> {
    return this.#loggedIn(request.signal, (login) =>
      this.#meter.measure(request, isOpenEnded(request.query), requestFailure, () => this.#send(request, login)),
    );
  }

  upgrade(request: UpgradeRequest): Promise<UpgradeResponse> {
    return this.#loggedIn(request.signal, (login) =>
      this.#meter.measure({ ...request, method: 'GET' }, true, requestFailure, () => this.#askUpgrade(request, login)),
    );
  }

  /** What is asked with a login, and once more with another one when that has been refused and can be renewed. */
  async #loggedIn<R extends TransportResponse>(
    signal: AbortSignal | undefined,
    ask: (login: Login) => Promise<R>,
  ): Promise<R> {
    signal?.throwIfAborted();
    if (this.#closed) throw this.#closedError();
    const login = await this.#whileOpen(() => this.#credentials.login(), signal);
    let response = await ask(login);
    if (response.status === 401 && (await this.#whileOpen(() => this.#renew(login), signal))) {
      // If it came whole, its connection is free already; if not, it is not worth waiting for.
      void response.body[Symbol.asyncIterator]().return?.();
      response = await ask(await this.#whileOpen(() => this.#credentials.login(), signal));
    }
    const { loginName } = this.#options;
    return response.status === 401 && loginName !== undefined ? { ...response, refusedLogin: loginName } : response;
  }

  async #askUpgrade(request: UpgradeRequest, login: Login): Promise<UpgradeResponse> {
    if (this.#closed) throw this.#closedError();
    const encoded = this.#encode({ ...request, method: 'GET' }, login, request.protocol);
    const opening = new UpgradeAttempt({
      connector: this.#laneFor(login.certificate).connector,
      request: encoded,
      signal: request.signal,
      limit: { clock: request.clock ?? this.#clock, ms: this.#options.headersTimeoutMs ?? 60_000 },
      timeoutError: (limitMs) => this.#timeout({ ...request, method: 'GET' }, 'head', limitMs),
      onClosed: () => this.#upgrades.delete(opening),
    });
    this.#upgrades.add(opening);
    try {
      return await opening.response();
    } catch (error) {
      request.signal?.throwIfAborted();
      throw this.#readable(error);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closing.abort(this.#closedError());
    this.#credentials.close?.();
    for (const upgrade of this.#upgrades) upgrade.destroy(this.#closedError());
    // Cancelling one ends its socket, too.
    for (const exchange of this.#exchanges) exchange.cancel(this.#closedError());
    this.#lane?.pool.retire();
    this.#lane = undefined;
    this.#meter.end();
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Settles as the work does, unless the request is aborted or this is closed first. */
  #whileOpen<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return interruptible(() => interruptible(work, this.#closing.signal), signal);
  }

  /** A renewal that fails is no worse than the 401 that asked for it. */
  async #renew(refused: Login): Promise<boolean> {
    try {
      return await this.#credentials.renew(refused);
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      safeLogger(this.#options.logger).warn(`${this.server} answered 401, and the login could not be renewed: ${said}`);
      return false;
    }
  }

  async #send(request: TransportRequest, login: Login): Promise<TransportResponse> {
    if (this.#closed) throw this.#closedError();
    request.signal?.throwIfAborted();
    const encoded = this.#encode(request, login);
    const exchange = new Exchange({
      reuseChunks: request.reuseChunks ?? false,
      signal: request.signal,
      beforeSend: request.beforeSend,
      limits: this.#limitsOf(request),
      timeoutError: (awaited, limitMs) => this.#timeout(request, awaited, limitMs),
      wrapError: (error) => this.#readable(error),
      onDone: () => this.#exchanges.delete(exchange),
    });
    this.#exchanges.add(exchange);
    exchange.follow(new Http1Dispatch(this.#laneFor(login.certificate).pool, encoded, exchange));
    return this.#decoded(await exchange.response);
  }

  #decoded(response: TransportResponse): TransportResponse {
    const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() || 'identity';
    if (encoding === 'identity') return response;
    const isRefusal = response.status >= FIRST_REFUSAL;
    if (encoding !== 'gzip') {
      void response.body[Symbol.asyncIterator]().return?.();
      // The status is answer enough without its body, which has ended with that.
      if (isRefusal) return { ...response, body: EMPTY };
      throw this.#readable(new MalformedResponseError('its content-encoding is neither gzip nor identity'));
    }
    const headers = new Map(response.headers);
    headers.delete('content-encoding');
    headers.delete('content-length');
    const wrapError = (error: Error) => (isRefusal ? undefined : this.#readable(error));
    return { status: response.status, headers, body: gunzipBody(response.body, wrapError) };
  }

  #readable(error: unknown): TransportError {
    return connectionError(error, { server: this.#url.origin });
  }

  #encode(request: TransportRequest, login: Login, upgrade?: string): EncodedRequest {
    const { proxy, disableCompression } = this.#options;
    const path = `${this.#url.pathname.replace(/\/+$/, '')}${request.path}${request.query ? `?${request.query}` : ''}`;
    const viaHttpProxy = proxy !== undefined && proxy.scheme !== 'socks5' && this.#url.protocol === 'http:';
    const proxyLogin = viaHttpProxy ? proxyAuthorization(proxy) : undefined;
    const headers = {
      'user-agent': this.#userAgent,
      ...(disableCompression || upgrade !== undefined ? {} : { 'accept-encoding': 'gzip' }),
      ...(proxyLogin === undefined ? {} : { 'proxy-authorization': proxyLogin }),
      ...(login.headers.reveal() as Record<string, string | string[]>),
      ...request.headers,
    };
    // An HTTP proxy gets the whole URL, since it has to find the server itself.
    const target = viaHttpProxy ? `${this.#url.origin}${path}` : path;
    try {
      const { method, body } = request;
      return encodeRequest({ method, target, host: this.#url.host, headers, body, upgrade });
    } catch (error) {
      throw this.#unsendable(login) ?? this.#readable(error);
    }
  }

  /** Mostly a token with the line break at the end of its file. */
  #unsendable(login: Login): TransportError | undefined {
    const headers = Object.values(login.headers.reveal()).flat();
    if (headers.every(isHeaderValue)) return undefined;
    const { loginName = 'that of this transport' } = this.#options;
    const message = `the login cannot be sent, because a header cannot have a line break or other characters in it: ${loginName}`;
    return new TransportError('credentials', message, { server: this.server });
  }

  #limitsOf(request: TransportRequest): ExchangeLimits {
    const stallMs = this.#options.stallTimeoutMs ?? 60_000;
    return {
      clock: request.clock ?? this.#clock,
      headMs: request.headersTimeoutMs ?? this.#options.headersTimeoutMs ?? 60_000,
      bodyMs: isOpenEnded(request.query) ? 0 : stallMs,
      refusalMs: Math.min(stallMs || REFUSAL_MS, REFUSAL_MS),
    };
  }

  #timeout({ method, path }: TransportRequest, awaited: 'head' | 'body', limitMs: number): TransportError {
    const said =
      awaited === 'head'
        ? `${this.server} has not answered ${method} ${path} within ${limitMs} ms`
        : `the answer of ${this.server} to ${method} ${path} has brought nothing for ${limitMs} ms`;
    const message = `${said}; it may be overloaded, or a proxy on the way holds the answer back`;
    return new TransportError('timeout', message, { server: this.server });
  }

  /** The lane of the certificate now in use. With a new certificate a new lane begins, and the idle sockets of the old one end. */
  #laneFor(certificate: ClientCertificate | undefined): Lane {
    if (this.#lane && this.#lane.certificate === certificate) return this.#lane;
    this.#lane?.pool.retire();
    const connector = new Connector({
      server: this.#url,
      proxy: this.#options.proxy,
      tls: new TlsContexts(this.#options.tls ?? {}, certificate),
      timeoutMs: this.#options.connectTimeoutMs ?? 30_000,
      clock: this.#clock,
    });
    this.#lane = { certificate, connector, pool: new SocketPool({ connector, clock: this.#clock }) };
    return this.#lane;
  }

  #closedError(): TransportError {
    return new TransportError('closed', `the connection to ${this.server} has been closed with close()`, {
      server: this.server,
    });
  }
}
