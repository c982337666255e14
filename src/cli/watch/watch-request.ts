import { FieldSelector } from '../../api/field-selector.ts';
import { LabelSelector } from '../../api/label-selector.ts';
import { seeHelp } from '../arguments.ts';
import { UsageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { parseDuration } from '../duration.ts';
import type { OUTPUTS } from './watch-command.ts';

/** What the command line asks for, checked as far as that goes without a cluster. */
export interface WatchRequest {
  /** By any of its names. */
  readonly resource: string;
  /** Whether others are watched beside it. */
  readonly isOneOfSeveral: boolean;
  readonly name: string | undefined;
  /** Undefined: that of the context. */
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  /** Canonical, "" for everything. */
  readonly labelSelector: string;
  /** With the name in it. */
  readonly fieldSelector: string;
  readonly output: (typeof OUTPUTS)[number] | 'default';
  readonly labelColumns: readonly string[];
  readonly showLabels: boolean;
  readonly showEvents: boolean;
  readonly headers: boolean;
  readonly plain: boolean;
  /** 0: never. */
  readonly resyncMs: number;
  readonly watchOnly: boolean;
  readonly exitAfterSync: boolean;
  /** Undefined: forever. */
  readonly timeoutMs: number | undefined;
}

/** Throws `UsageError`, and `SelectorError` for a selector that is none. */
export function watchRequest({ flags, positionals }: Pick<Invocation, 'flags' | 'positionals'>): WatchRequest {
  const { resource, name } = operands(positionals);
  const timeout = flags.text('timeout');
  const exitAfterSync = flags.on('exit-after-sync');
  if (timeout !== undefined && !exitAfterSync) {
    throw new UsageError('--timeout needs --exit-after-sync', 'Without it, a watch goes on until it is interrupted.');
  }
  const watchOnly = flags.on('watch-only');
  if (watchOnly && exitAfterSync) {
    throw new UsageError('--watch-only and --exit-after-sync together would show nothing', 'Leave one of them out.');
  }
  const fields = FieldSelector.parse(flags.text('field-selector') ?? '').toString();
  return {
    resource,
    isOneOfSeveral: false,
    name,
    namespace: flags.text('namespace'),
    allNamespaces: flags.on('all-namespaces'),
    labelSelector: LabelSelector.parse(flags.text('selector') ?? '').toString(),
    fieldSelector: [...(name === undefined ? [] : [`metadata.name=${name}`]), ...(fields === '' ? [] : [fields])].join(
      ',',
    ),
    output: (flags.text('output') as WatchRequest['output'] | undefined) ?? 'default',
    labelColumns: flags
      .texts('label-columns')
      .flatMap((text) => text.split(','))
      .filter((label) => label !== ''),
    showLabels: flags.on('show-labels'),
    showEvents: flags.on('output-watch-events'),
    headers: !flags.on('no-headers'),
    plain: flags.on('plain'),
    resyncMs: resyncOf(flags.text('resync')),
    watchOnly,
    exitAfterSync,
    timeoutMs: timeout === undefined ? undefined : parseDuration('--timeout', timeout),
  };
}

function operands([first, second]: readonly string[]): { resource: string; name: string | undefined } {
  if (first === undefined || first === '') {
    throw new UsageError('"tidewatch watch" needs a RESOURCE, such as pods', seeHelp({ name: 'watch' }));
  }
  if (first.includes(',') && (second !== undefined || first.includes('/'))) {
    throw new UsageError(
      `"${first}" names several resources, so no single object can be named`,
      seeHelp({ name: 'watch' }),
    );
  }
  const slash = first.indexOf('/');
  if (slash < 0) return { resource: first, name: checkedName(second) };
  if (second !== undefined) {
    throw new UsageError(`"${first}" names an object already, so "${second}" is too many`, seeHelp({ name: 'watch' }));
  }
  return { resource: first.slice(0, slash), name: checkedName(first.slice(slash + 1)) };
}

function checkedName(name: string | undefined): string | undefined {
  if (name !== undefined && !/^[A-Za-z0-9][A-Za-z0-9.:_-]*$/.test(name)) {
    throw new UsageError(`"${name}" cannot be the name of an object`);
  }
  return name;
}

function resyncOf(text: string | undefined): number {
  const resyncMs = text === undefined ? 0 : parseDuration('--resync', text);
  if (resyncMs > 0 && resyncMs < 1_000) {
    throw new UsageError(`--resync ${text} is too short`, 'The shortest is 1s; 0 means never.');
  }
  return resyncMs;
}
