import type { Secret } from '../http/secret.ts';
import { type ProxyServer, parseProxy } from '../http/socket/proxy.ts';
import { KubeconfigError } from './kubeconfig.ts';

/** The `proxy-url` of a kubeconfig's cluster. `where` names file and field for the error, which never shows the URL. */
export function parseProxyUrl(url: Secret, where: string): ProxyServer {
  const proxy = parseProxy(url.reveal());
  if (proxy === undefined) {
    throw new KubeconfigError(`${where} must be a URL that begins with http://, https:// or socks5://`);
  }
  return proxy;
}
