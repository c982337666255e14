import { bytesResponse, type ServerResponse, textResponse } from '../request/request.ts';

export const SERVER_VERSION = 'v1.36.3';

const CHECKS = ['ping', 'log', 'etcd'];
const PREFIXES = new Set(['healthz', 'livez', 'readyz']);

/** `/healthz`, `/livez`, `/readyz`, with `?verbose` and single checks below them. */
export function healthResponse(parts: readonly string[], query: URLSearchParams): ServerResponse | undefined {
  const [prefix = '', ...check] = parts;
  if (!PREFIXES.has(prefix)) return undefined;
  if (check.length > 0) return CHECKS.includes(check.join('/')) ? textResponse(200, 'ok') : undefined;
  if (!query.has('verbose')) return textResponse(200, 'ok');
  const excluded = query.getAll('exclude');
  const lines = CHECKS.map((name) => `[+]${name} ${excluded.includes(name) ? 'excluded: ok' : 'ok'}`);
  return textResponse(200, [...lines, `${prefix} check passed`, ''].join('\n'));
}

export function versionResponse(): ServerResponse {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(SERVER_VERSION) ?? [];
  const version = {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: SERVER_VERSION,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'tidewatch',
    platform: 'linux/amd64',
  };
  return bytesResponse(200, Buffer.from(JSON.stringify(version, null, 2)));
}
