import type { User } from '../request/access.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { JsonObject } from '../values/json.ts';

/** A write of a client that plugins may change or refuse before anything is stored. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly resource: ServedResource;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  /** Empty while the server has yet to choose it. */
  readonly name: string;
  /** In the storage version; unset for deletions. Plugins change it in place while it is prepared. */
  readonly object: JsonObject | undefined;
  /** As it is stored; unset for creations. Not to be changed. */
  readonly old: JsonObject | undefined;
  readonly user: User;
  readonly dryRun: boolean;
  /** A number in [0, 1). */
  random(): number;
  /** Sent as a `Warning` header. */
  warn(message: string): void;
}

/**
 * One rule that the server holds clients to, beside those of the kinds. Writes of the server itself are not asked about.
 * Everything is synchronous, so that what a plugin has seen is still true when the object is stored.
 */
export interface AdmissionPlugin {
  /** Whether it may have anything to say. Asked before every write of every client: it must cost next to nothing. */
  isActive(): boolean;
  /** Before the kind's own rules. Throws `StatusError` to refuse. */
  mutate?(request: AdmissionRequest): void;
  /** After the kind's own rules, on the object as it will be stored. Throws `StatusError` to refuse. */
  validate?(request: AdmissionRequest): void;
  /** After the object was stored; never for a dry run. */
  committed?(request: AdmissionRequest): void;
}

/** All plugins of a server, in the order in which they are asked. */
export class Admission {
  readonly #plugins: AdmissionPlugin[] = [];

  add(plugin: AdmissionPlugin): void {
    this.#plugins.push(plugin);
  }

  /** Those that a write has to ask; undefined when there are none, which is the rule. */
  active(): ActiveAdmission | undefined {
    let active: AdmissionPlugin[] | undefined;
    for (const plugin of this.#plugins) {
      if (!plugin.isActive()) continue;
      active ??= [];
      active.push(plugin);
    }
    return active && new ActiveAdmission(active);
  }
}

/** The plugins that have something to say about one write. */
export class ActiveAdmission {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  mutate(request: AdmissionRequest): void {
    for (const plugin of this.#plugins) plugin.mutate?.(request);
  }

  validate(request: AdmissionRequest): void {
    for (const plugin of this.#plugins) plugin.validate?.(request);
  }

  committed(request: AdmissionRequest): void {
    if (request.dryRun) return;
    for (const plugin of this.#plugins) plugin.committed?.(request);
  }
}
