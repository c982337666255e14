import type { ManagerStatus } from '../../controller/manager-status.ts';
import { UsageError } from '../cli-error.ts';
import type { HealthAnswer } from './top-table.ts';

/** How long a health server may take, and how often it is asked. */
export const HEALTH_MS = 2_000;

/** Where a health server tells what waits. Throws for a text that is not a URL. */
export function statusUrl(text: string): string {
  try {
    const url = new URL(text);
    if (url.protocol === 'http:' || url.protocol === 'https:') return new URL('/debug/status', url).href;
  } catch {
    // Said below.
  }
  throw new UsageError(`"${text}" is not the URL of a health server`, 'Write it as http://127.0.0.1:8081.');
}

/** Never rejects. */
export function askAll(urls: readonly string[], signal: AbortSignal): Promise<HealthAnswer[]> {
  return Promise.all(urls.map((url) => ask(url, signal)));
}

async function ask(url: string, signal: AbortSignal): Promise<HealthAnswer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(HEALTH_MS)]) });
    if (!response.ok) return { url, error: `${url} answered ${response.status}` };
    const status = (await response.json()) as ManagerStatus;
    if (!Array.isArray(status?.controllers)) return { url, error: `${url} is not the health server of a manager` };
    return { url, status };
  } catch (error) {
    return { url, error: `${url} does not answer: ${(error as Error).message}` };
  }
}
