import { readFileSync } from 'node:fs';
import { arch, platform } from 'node:process';

/** The build puts the version here. */
declare const TIDEWATCH_VERSION: string | undefined;

let version: string | undefined;

/** `tidewatch/1.2.3 (node/v20.19.0; linux/x64)` */
export function defaultUserAgent(): string {
  version ??= typeof TIDEWATCH_VERSION === 'string' ? TIDEWATCH_VERSION : readVersion();
  return `tidewatch/${version} (node/${process.version}; ${platform}/${arch})`;
}

/** From the sources: the manifest of the package is two folders up. */
function readVersion(): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const { version: found } = manifest as { version?: unknown };
    return typeof found === 'string' ? found : 'unknown';
  } catch {
    return 'unknown';
  }
}
