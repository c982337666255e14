import type { TransportResponse } from './transport.ts';

const MAX_TARGET = 200;
const ADVICE =
  'redirects are not followed, because the login must go to no other server. If the API server is there, make that its address; ' +
  'if a proxy wants a login first, use an address that does without';

/** What to say of an answer that sends the client elsewhere; undefined for any other answer. */
export function redirectMessage({
  status,
  headers,
}: Pick<TransportResponse, 'status' | 'headers'>): string | undefined {
  const location = headers.get('location');
  if (status < 300 || status > 399 || location === undefined) return undefined;
  return `the server redirects to ${publicTarget(location)}, and ${ADVICE}`;
}

/** Without query, fragment, user name and password: any of them may be secret. */
function publicTarget(location: string): string {
  const text = location.startsWith('//') ? `https:${location}` : location;
  if (URL.canParse(text)) {
    const { protocol, host, pathname } = new URL(text);
    return shortened(`${protocol}//${host}${pathname}`);
  }
  const path = /^\/[^?#]*/.exec(text)?.[0];
  return path === undefined ? 'an address that is not a URL' : shortened(path);
}

function shortened(target: string): string {
  return target.length > MAX_TARGET ? `${target.slice(0, MAX_TARGET)}…` : target;
}
