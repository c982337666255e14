import type { Defined } from '../api/defined.ts';
import { aClock, aLogger, aText, checkedOptions, type OptionChecks, type ValueCheck } from '../api/option-check.ts';
import type { Resource } from '../api/resource.ts';
import { mustBeResource } from '../api/resource-check.ts';
import type { Manager } from '../controller/manager.ts';
import type { SharedInformerFactory } from '../informer/shared-informer-factory.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';

/** Options of `serveInspector`. */
export interface InspectorOptions {
  /** Whose informers are shown. */
  factories?: readonly SharedInformerFactory[] | undefined;
  /** Whose controllers are shown, and the informers of their caches. */
  managers?: readonly Manager[] | undefined;
  /** 0: any free one; see `port` of what this returns. */
  port: number;
  /**
   * Default 127.0.0.1: only this machine can ask. With another one, whoever can reach the port and knows the token reads along, over plain
   * HTTP; a warning says so.
   */
  host?: string | undefined;
  /**
   * The resources of which a page shows spec, data and annotations too. Default: none, so that it shows metadata and status. Of a Secret
   * never more than metadata; values of environment variables and the last-applied annotation of no object.
   */
  show?: readonly Resource[] | undefined;
  /** Default: the console, for warnings and errors. */
  logger?: Logger | undefined;
  /** Default: the time of the machine. */
  clock?: Clock | undefined;
}

const CHECKS: OptionChecks<InspectorOptions> = {
  factories: listOf('informers', 'a list of SharedInformerFactory'),
  managers: listOf('controllers', 'a list of Manager'),
  port: (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535
      ? undefined
      : 'a whole number from 0 to 65535',
  host: (value, where) => (value === '' ? 'a name or an address' : aText(value, where)),
  show: (value) => (Array.isArray(value) ? undefined : 'a list of resources, such as [pods]'),
  logger: aLogger,
  clock: aClock,
};

/** Throws a `TypeError` that says what is wanted. */
export function checkedInspectorOptions(options: InspectorOptions): Defined<InspectorOptions> {
  const checked = checkedOptions('serveInspector', options, CHECKS);
  if (checked.port === undefined) throw new TypeError('serveInspector needs a port: 0 is any free one');
  if (!checked.factories?.length && !checked.managers?.length) {
    throw new TypeError('serveInspector has nothing to show: give it `factories`, `managers` or both');
  }
  for (const resource of checked.show ?? []) mustBeResource('serveInspector: show', resource);
  return checked;
}

/** By what they can do: a program may have two copies of the package. */
function listOf(method: string, wanted: string): ValueCheck {
  return (value) =>
    Array.isArray(value) &&
    value.every((one) => typeof (one as Record<string, unknown> | null)?.[method] === 'function')
      ? undefined
      : wanted;
}
