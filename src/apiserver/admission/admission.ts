import type { User } from '../request/access.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { Steps } from '../storage/steps.ts';
import type { JsonObject } from '../values/json.ts';

/** A write of a client that plugins may change or refuse before anything is stored. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: ServedResource;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  /** Empty while the server has yet to choose it. */
  readonly name: string;
  /** In the storage version; unset for deletions. Plugins change it in place while it is prepared. */
  readonly object: JsonObject | undefined;
  /** Set when the object is of another kind than the resource: the options of a connection. */
  readonly objectKind?: string;
  /** As it is stored; unset for creations. Not to be changed. */
  readonly old: JsonObject | undefined;
  readonly user: User;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions or DeleteOptions, as the client sent them. */
  readonly options: JsonObject;
  readonly reinvocation: Reinvocation;
  /** A number in [0, 1). */
  random(): number;
  /** Sent as a `Warning` header. */
  warn(message: string): void;
}

/**
 * One rule that the server holds clients to, beside those of the kinds. Writes of the server itself are not asked about. What
 * returns no promise happens in the turn in which the object is stored, if it comes after all that do.
 */
export interface AdmissionPlugin {
  /** Whether it may have anything to say about such objects. Asked before every write of every client: it must cost next to nothing. */
  isActive(resource: ServedResource): boolean;
  /** Whether it asks somebody outside, and returns promises. Default false. */
  readonly waits?: boolean;
  /** Before the kind's own rules. Throws `StatusError` to refuse. */
  mutate?(request: AdmissionRequest): void | Promise<void>;
  /** After the kind's own rules, on the object as it will be stored. Throws `StatusError` to refuse. */
  validate?(request: AdmissionRequest): void | Promise<void>;
  /** After the object was stored; never for a dry run. */
  committed?(request: AdmissionRequest): void;
}

/** Which of those that change objects are to see one again, because another has changed it since. */
export class Reinvocation {
  /** Whether this is the second round. */
  isSecond = false;
  #isNeeded = false;
  /** Those that want to see it again, and have seen it. */
  #seen = new Set<string>();
  readonly #again = new Set<string>();

  /** Who wants to be asked again if anything changes has been asked. */
  asked(id: string): void {
    this.#seen.add(id);
  }

  changed(): void {
    this.#isNeeded = true;
    for (const id of this.#seen) this.#again.add(id);
    this.#seen = new Set();
  }

  /** Whether to ask: everybody in the first round, in the second those whom a change came after. */
  concerns(id: string): boolean {
    return !this.isSecond || this.#again.has(id);
  }

  /** Begins the second round, if there has to be one. */
  begin(): boolean {
    this.isSecond = this.#isNeeded;
    return this.#isNeeded;
  }
}

/** All plugins of a server, in the order in which they are asked. */
export class Admission {
  readonly #plugins: AdmissionPlugin[] = [];

  add(plugin: AdmissionPlugin): void {
    this.#plugins.push(plugin);
  }

  /** Whether a write may have to wait for one of them. */
  mayWait(resource: ServedResource): boolean {
    return this.#plugins.some((plugin) => plugin.waits && plugin.isActive(resource));
  }

  /** Those that a write has to ask; undefined when there are none, which is the rule. */
  active(resource: ServedResource): ActiveAdmission | undefined {
    let active: AdmissionPlugin[] | undefined;
    for (const plugin of this.#plugins) {
      if (!plugin.isActive(resource)) continue;
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

  /** A second time, when a webhook or a policy has changed what others had seen before. */
  *mutate(request: AdmissionRequest): Steps<void> {
    yield* this.#mutateOnce(request);
    if (!request.reinvocation.begin()) return;
    yield* this.#mutateOnce(request);
  }

  *#mutateOnce(request: AdmissionRequest): Steps<void> {
    for (const plugin of this.#plugins) {
      const pending = plugin.mutate?.(request);
      if (pending) yield pending;
    }
  }

  *validate(request: AdmissionRequest): Steps<void> {
    for (const plugin of this.#plugins) {
      const pending = plugin.validate?.(request);
      if (pending) yield pending;
    }
  }

  committed(request: AdmissionRequest): void {
    if (request.dryRun) return;
    for (const plugin of this.#plugins) plugin.committed?.(request);
  }
}
