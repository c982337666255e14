import { readFileSync } from 'node:fs';
import { arch, platform } from 'node:process';

let version: string | undefined;

/** `tidewatch/1.2.3 (node/v20.19.0; linux/x64)` */
export function defaultUserAgent(): string {
  version ??= readVersion();
  return `tidewatch/${version} (node/${process.version}; ${platform}/${arch})`;
}

/** The package's own manifest is two folders up, both in the source and as published. Bundled elsewhere, it is unknown. */
function readVersion(): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const { version: found } = manifest as { version?: unknown };
    return typeof found === 'string' ? found : 'unknown';
  } catch {
    return 'unknown';
  }
}
