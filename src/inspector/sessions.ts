import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const COOKIE = 'tidewatch-inspector';
/** One for each time that somebody opens the printed address; the oldest makes room. */
const MAX_SESSIONS = 64;

/** What a page gets for the token. */
export interface NewSession {
  /** All that the page asks for lies beneath it. */
  readonly base: string;
  readonly cookie: string;
}

/**
 * Who may read. The token is in the fragment of the printed address, which a browser sends to nobody; the page trades it for a session: a
 * cookie that no script can read, and that is sent only to the session's own path. A cookie holds for all ports of a host: without that
 * path, any other server on this machine would be sent it.
 */
export class Sessions {
  readonly token = secret(32);
  /** Path to cookie value. */
  readonly #secrets = new Map<string, string>();

  /** Undefined for another token. */
  trade(token: string): NewSession | undefined {
    if (!isSame(token, this.token)) return undefined;
    const id = secret(16);
    const value = secret(32);
    this.#secrets.set(id, value);
    for (const oldest of this.#secrets.keys()) {
      if (this.#secrets.size <= MAX_SESSIONS) break;
      this.#secrets.delete(oldest);
    }
    const base = `/s/${id}/`;
    return { base, cookie: `${COOKIE}=${value}; Path=${base}; HttpOnly; SameSite=Strict` };
  }

  /** Whether the cookies of a request are those of the session. */
  has(id: string, cookieHeader: string | undefined): boolean {
    const value = this.#secrets.get(id);
    const given = cookieOf(cookieHeader);
    return isSame(given ?? '', value ?? secret(32)) && value !== undefined;
  }
}

/** Undefined also when there are several: somebody else has set one, and which one counts cannot be known. */
function cookieOf(header: string | undefined): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim().split('=', 2))
    .flatMap(([name, value]) => (name === COOKIE && value !== undefined ? [value] : []));
  return values.length === 1 ? values[0] : undefined;
}

function secret(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

/** Takes as long for a guess that is nearly right as for any other. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
