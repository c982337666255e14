import { ApiError } from '../api/api-error.ts';
import { SelectorError } from '../api/selector-error.ts';
import { TransportError } from '../api/transport-error.ts';
import { KubeconfigError } from '../login/kubeconfig.ts';
import { CliError } from './cli-error.ts';
import { safeText } from './terminal/safe-text.ts';

export interface ErrorReport {
  /** One sentence, and what to do next; harmless for a terminal. */
  readonly text: string;
  readonly exitCode: number;
}

/** What a person is told of an error that ended a command. */
export function errorReport(error: unknown): ErrorReport {
  const { message, next, exitCode = 1 } = explain(error);
  const sentence = safeText(message.trim()).replace(/[.\s]+$/, '');
  const stop = sentence.endsWith('?') ? '' : '.';
  return { text: `error: ${sentence}${stop}${next === undefined ? '' : ` ${safeText(next)}`}\n`, exitCode };
}

interface Explanation {
  message: string;
  next?: string | undefined;
  exitCode?: number;
}

function explain(error: unknown): Explanation {
  if (error instanceof CliError) return error;
  if (error instanceof SelectorError) {
    return { message: error.message, next: "Quote the selector for your shell: -l 'app in (web, api)'.", exitCode: 2 };
  }
  if (error instanceof KubeconfigError) {
    return {
      message: inFlags(error.message),
      next: 'Name a cluster with --kubeconfig FILE, --context NAME or --server URL, or start one with "tidewatch serve".',
    };
  }
  if (error instanceof TransportError)
    return { message: `the cluster cannot be reached: ${error.message}`, next: 'See "kubectl cluster-info".' };
  if (error instanceof ApiError) return explainRefusal(error);
  if (isSystemError(error)) return { message: `${error.path ?? error.syscall ?? 'the system'}: ${error.message}` };
  return { message: error instanceof Error ? error.message : String(error) };
}

/** The library's advice is for programs: here its options are flags, and what to do next is said below. */
function inFlags(message: string): string {
  return message.replace(/; set KUBECONFIG, or pass .*$/, '').replace(/the option `(\w+)`/g, '--$1');
}

function explainRefusal(error: ApiError): Explanation {
  const said = error.status.message || error.message;
  switch (error.code) {
    case 401:
      return {
        message: `the cluster does not accept the login${inFlags(/; refused was (.*)$/s.exec(error.message)?.[1] ?? '').replace(/^(?=.)/, ': ')}`,
        next: 'Log in again, or choose another --context or --user.',
      };
    case 403:
      return {
        message: said,
        next: 'Ask for a role that allows it, or narrow it with -n NAMESPACE; "kubectl auth can-i --list" shows what is allowed.',
      };
    case 400:
      return { message: `the server finds the request wrong: ${said}`, next: 'Check the selectors and the names.' };
    default:
      return { message: `the server said ${error.code} ${error.reason}: ${said}` };
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
