import { bodyText } from '../api/response-body.ts';
import { TransportError } from '../api/transport-error.ts';
import type { Credentials, Login } from '../http/http.ts';
import { HttpTransport, type HttpTransportOptions } from '../http/http-transport.ts';
import { redacted } from '../http/public-url.ts';
import { Secret } from '../http/secret.ts';
import { isLoopback } from '../http/socket/ip-address.ts';
import { bareHost } from '../http/socket/proxy.ts';
import type { Clock } from '../observe/clock.ts';
import { messageOf } from '../observe/guarded.ts';

/** A token that expires within this time is renewed before use, as with client-go. */
const LEEWAY_MS = 10_000;

export interface OidcCredentialsOptions {
  /** Names the user and the file, for messages. */
  where: string;
  clock: Clock;
  /** How to reach the identity provider: everything but its address. */
  transport: (server: URL) => Omit<HttpTransportOptions, 'server' | 'credentials'>;
}

/** Answers that say that the request was not looked at. */
const NOT_PROCESSED = [429, 503];

/**
 * The `oidc` auth-provider: an id-token that is renewed with the refresh-token at the token endpoint of the issuer. New tokens
 * stay in memory; the kubeconfig is never written, so a provider that issues each refresh-token for one use needs a
 * new login after the process has ended.
 *
 * A refresh-token may be good for one use alone, and to show it twice may end the login of everybody who has it. So it is sent again only
 * when no answer came, when the answer says that the provider did not look at it (429, 503), or when the provider renewed the login
 * without giving another one.
 */
export class OidcCredentials implements Credentials {
  readonly #config: Secret<ReadonlyMap<string, string>>;
  readonly #options: OidcCredentialsOptions;
  #idToken: Secret | undefined;
  #refreshToken: Secret | undefined;
  /** Why there is no refresh-token any more. */
  #spent: string | undefined;
  #login: Login | undefined;
  #refreshing: Promise<void> | undefined;
  /** To the provider, while it is asked. */
  #transport: HttpTransport | undefined;
  #isClosed = false;

  constructor(config: Secret<ReadonlyMap<string, string>>, options: OidcCredentialsOptions) {
    this.#config = config;
    this.#options = options;
    const [idToken, refreshToken] = [config.reveal().get('id-token'), config.reveal().get('refresh-token')];
    this.#idToken = idToken ? new Secret(idToken) : undefined;
    this.#refreshToken = refreshToken ? new Secret(refreshToken) : undefined;
    for (const field of ['idp-issuer-url', 'client-id']) {
      if (!config.reveal().get(field)) throw this.#error(`auth-provider.config.${field} is missing`);
    }
  }

  async login(): Promise<Login> {
    if (this.#idToken === undefined || this.#isStale(this.#idToken)) await this.#refresh();
    if (this.#login === undefined && this.#idToken !== undefined) {
      this.#login = { headers: new Secret({ authorization: `Bearer ${this.#idToken.reveal()}` }) };
    }
    if (this.#login === undefined) throw this.#error('there is no id-token');
    return this.#login;
  }

  async renew(refused: Login): Promise<boolean> {
    if (this.#refreshToken === undefined) return false;
    if (this.#login === refused) await this.#refresh();
    return true;
  }

  /** Gives up a refresh that is under way. */
  close(): void {
    this.#isClosed = true;
    void this.#transport?.close();
  }

  #refresh(): Promise<void> {
    this.#refreshing ??= this.#obtain().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #obtain(): Promise<void> {
    if (this.#refreshToken === undefined) {
      const why = this.#spent ?? 'there is no refresh-token';
      throw this.#error(`the id-token is missing or expired, and ${why}; log in again`);
    }
    const config = this.#config.reveal();
    const issuer = (config.get('idp-issuer-url') ?? '').replace(/\/$/, '');
    const discovery = await this.#call('GET', `${issuer}/.well-known/openid-configuration`);
    if (typeof discovery.token_endpoint !== 'string') {
      throw this.#error(`the discovery document of ${issuer} has no token_endpoint`);
    }
    const sent = this.#refreshToken;
    const answer = await this.#exchange(discovery, discovery.token_endpoint, sent.reveal());
    // Without a new one, the one that was sent stays good.
    this.#refreshToken = typeof answer.refresh_token === 'string' ? new Secret(answer.refresh_token) : sent;
    if (typeof answer.id_token !== 'string') {
      throw this.#error('the provider renewed the login without an id_token; was the scope "openid" asked for?');
    }
    this.#idToken = new Secret(answer.id_token);
    this.#login = undefined;
  }

  /** The client's own secret goes into a header, or into the form for a provider whose discovery document does not offer the former. */
  #exchange(
    discovery: Record<string, unknown>,
    endpoint: string,
    refreshToken: string,
  ): Promise<Record<string, unknown>> {
    const clientId = this.#config.reveal().get('client-id') ?? '';
    const clientSecret = this.#config.reveal().get('client-secret') ?? '';
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
    const onAnswer = (status: number) => this.#onAnswer(status);
    const methods = discovery.token_endpoint_auth_methods_supported;
    const inHeader = !Array.isArray(methods) || methods.includes('client_secret_basic');
    if (clientSecret !== '' && inHeader) {
      const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
      const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
      return this.#call('POST', endpoint, { form, headers: { authorization }, onAnswer });
    }
    form.set('client_id', clientId);
    if (clientSecret !== '') form.set('client_secret', clientSecret);
    return this.#call('POST', endpoint, { form, onAnswer });
  }

  /** Of the token endpoint. From a success on it is for the body to say what is good; if that does not come, nothing is. */
  #onAnswer(status: number): void {
    if (NOT_PROCESSED.includes(status)) return;
    this.#refreshToken = undefined;
    this.#spent = `the provider answered ${status} to the refresh-token, which may be good for one use only`;
  }

  async #call(
    method: 'GET' | 'POST',
    address: string,
    post: { form?: URLSearchParams; headers?: Readonly<Record<string, string>>; onAnswer?(status: number): void } = {},
  ): Promise<Record<string, unknown>> {
    const url = this.#url(address);
    const { form, headers, onAnswer } = post;
    if (this.#isClosed) throw this.#error('the cluster was closed');
    const transport = new HttpTransport({ ...this.#options.transport(url), server: url.origin });
    this.#transport = transport;
    try {
      const response = await transport.request({
        method,
        path: url.pathname,
        query: url.search.slice(1),
        headers: {
          accept: 'application/json',
          ...headers,
          ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(form === undefined ? {} : { body: form.toString() }),
      });
      onAnswer?.(response.status);
      const text = await bodyText(response.body);
      if (response.status !== 200) throw this.#error(`${url.origin}${url.pathname} answered ${response.status}`);
      const answer: unknown = JSON.parse(text);
      return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
    } catch (error) {
      if (error instanceof TransportError && error.kind === 'credentials') throw error;
      // A SyntaxError quotes the answer, which may hold tokens.
      if (error instanceof SyntaxError)
        throw this.#error(`${url.origin}${url.pathname} answered with something that is not JSON`);
      throw this.#error(messageOf(error), error);
    } finally {
      await transport.close();
    }
  }

  /** Tokens go over TLS, or stay on this machine. */
  #url(address: string): URL {
    if (!URL.canParse(address)) throw this.#error(`"${redacted(address)}" is not a URL`);
    const url = new URL(address);
    const host = bareHost(url);
    const isLocal = host === 'localhost' || isLoopback(host);
    if (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) return url;
    throw this.#error(
      `${url.protocol}//${url.host}${url.pathname} is not https, and a token must not be sent without TLS`,
    );
  }

  #isStale(token: Secret): boolean {
    const payload = token.reveal().split('.')[1];
    try {
      const { exp } = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString('utf8')) as { exp?: unknown };
      return this.#options.clock.now() + LEEWAY_MS >= Number(exp) * 1000;
    } catch {
      throw this.#error('the id-token is not a JWT');
    }
  }

  #error(said: string, cause?: unknown): TransportError {
    return new TransportError('credentials', `the oidc login of ${this.#options.where} cannot be used: ${said}`, {
      cause,
    });
  }
}
