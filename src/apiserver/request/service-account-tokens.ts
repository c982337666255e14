import { createHash, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import type { Clock } from '../../observe/clock.ts';
import type { Store } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { asArray, asObject, asString, isObject, type JsonObject } from '../values/json.ts';
import type { AuthenticatedToken, TokenAuthenticator, User } from './access.ts';
import type { Identity } from './identity.ts';

const ISSUER = 'https://kubernetes.default.svc';
/** Clocks may differ by this. */
const LEEWAY_MS = 60_000;
const INVALIDATED = 'service account token has been invalidated';
const EXTRA = 'authentication.kubernetes.io/';

/** An object that a token lives no longer than. */
export interface BoundObject {
  readonly kind: 'pod' | 'secret' | 'node';
  readonly name: string;
  readonly uid: string;
}

export interface TokenClaims {
  readonly account: StoredObject;
  readonly audiences: readonly string[];
  readonly expiresMs: number;
  /** With a pod, also the node that it runs on. */
  readonly bound: readonly BoundObject[];
  /** When a token that lives longer than was asked for should have been renewed. */
  readonly warnAfterMs?: number;
}

/** Gives out tokens for service accounts and knows them again: JSON web tokens, signed with a key of this server. */
export class ServiceAccountTokens implements TokenAuthenticator {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #identity: Pick<Identity, 'uid'>;
  /** Made with the first token. */
  #keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } | undefined;

  constructor(store: Store, clock: Pick<Clock, 'now'>, identity: Pick<Identity, 'uid'>) {
    this.#store = store;
    this.#clock = clock;
    this.#identity = identity;
  }

  issue({ account, audiences, expiresMs, bound, warnAfterMs }: TokenClaims): string {
    this.#keys ??= generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { privateKey, publicKey } = this.#keys;
    const nowSeconds = seconds(this.#clock.now());
    const { namespace, name, uid } = account;
    const kubernetes = {
      namespace,
      serviceaccount: { name, uid },
      ...Object.fromEntries(bound.map(({ kind, name, uid }) => [kind, uid === '' ? { name } : { name, uid }])),
      ...(warnAfterMs === undefined ? {} : { warnafter: seconds(warnAfterMs) }),
    };
    const claims = {
      aud: [...audiences],
      exp: seconds(expiresMs),
      iat: nowSeconds,
      iss: ISSUER,
      jti: this.#identity.uid(),
      'kubernetes.io': kubernetes,
      nbf: nowSeconds,
      sub: `system:serviceaccount:${namespace}:${name}`,
    };
    const der = publicKey.export({ type: 'spki', format: 'der' });
    const kid = createHash('sha256').update(der).digest('base64url');
    const content = `${encode({ alg: 'ES256', kid })}.${encode(claims)}`;
    return `${content}.${sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  }

  authenticate(token: string): AuthenticatedToken | string | undefined {
    const claims = this.#verified(token);
    if (!claims) return undefined;
    const nowMs = this.#clock.now();
    if (nowMs > Number(claims.exp) * 1000 + LEEWAY_MS) return 'service account token has expired';
    if (nowMs < Number(claims.nbf) * 1000 - LEEWAY_MS) return 'service account token is not valid yet';
    const kubernetes = asObject(claims['kubernetes.io']);
    const namespace = asString(kubernetes.namespace);
    const account = refOf(kubernetes.serviceaccount) ?? { name: '', uid: '' };
    const problem = this.#accountProblem(namespace, account) ?? this.#boundProblem(namespace, kubernetes);
    if (problem !== undefined) return problem;
    return {
      user: userOf(namespace, account, kubernetes, asString(claims.jti)),
      audiences: asArray(claims.aud).map(asString),
    };
  }

  /** The claims of a token that this server has signed. */
  #verified(token: string): JsonObject | undefined {
    const [head, body, signature, ...rest] = token.split('.');
    if (!this.#keys || head === undefined || body === undefined || signature === undefined || rest.length > 0) return;
    const key = { key: this.#keys.publicKey, dsaEncoding: 'ieee-p1363' } as const;
    if (!verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))) return undefined;
    return asObject(JSON.parse(Buffer.from(body, 'base64url').toString()));
  }

  #accountProblem(namespace: string, { name, uid }: Ref): string | undefined {
    const account = this.#store.table('serviceaccounts').objects.get(`${namespace}/${name}`);
    if (!account) return `serviceaccounts ${JSON.stringify(name)} not found`;
    if (account.uid !== uid) return `service account UID (${account.uid}) does not match claim (${uid})`;
    return this.#isGone(account) ? `service account ${namespace}/${name} has been deleted` : undefined;
  }

  #boundProblem(namespace: string, kubernetes: JsonObject): string | undefined {
    for (const kind of ['secret', 'pod', 'node'] as const) {
      const ref = refOf(kubernetes[kind]);
      // The node of a pod is only told about.
      if (!ref || (kind === 'node' && kubernetes.pod !== undefined)) continue;
      const key = kind === 'node' ? ref.name : `${namespace}/${ref.name}`;
      const object = this.#store.table(`${kind}s`).objects.get(key);
      if (!object) return INVALIDATED;
      if (object.uid !== ref.uid) {
        return `${kind} UID (${object.uid}) does not match service account ${kind} ref claim (${ref.uid})`;
      }
      if (this.#isGone(object)) return INVALIDATED;
    }
    return undefined;
  }

  #isGone(stored: StoredObject): boolean {
    const { deletionTimestamp } = stored.metadata();
    return deletionTimestamp !== undefined && Date.parse(asString(deletionTimestamp)) < this.#clock.now() - LEEWAY_MS;
  }
}

interface Ref {
  readonly name: string;
  readonly uid: string;
}

function refOf(value: JsonObject[string]): Ref | undefined {
  return isObject(value) ? { name: asString(value.name), uid: asString(value.uid) } : undefined;
}

function userOf(namespace: string, account: Ref, kubernetes: JsonObject, id: string): User {
  const [pod, node] = [refOf(kubernetes.pod), refOf(kubernetes.node)];
  return {
    name: `system:serviceaccount:${namespace}:${account.name}`,
    uid: account.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra: {
      [`${EXTRA}credential-id`]: [`JTI=${id}`],
      ...(node ? { [`${EXTRA}node-name`]: [node.name] } : {}),
      ...(node && node.uid !== '' ? { [`${EXTRA}node-uid`]: [node.uid] } : {}),
      ...(pod ? { [`${EXTRA}pod-name`]: [pod.name], [`${EXTRA}pod-uid`]: [pod.uid] } : {}),
    },
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
