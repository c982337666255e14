import { isGeneratorFunction } from '../api/generator-function.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { type Resource, resourceName } from '../api/resource.ts';
import { mustBeResource } from '../api/resource-check.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { MapToKeys, Predicate, Reconcile, ReconcileOptions, TriggerOptions } from './controller.ts';
import type { ControllerDefinition, Declaration, Trigger, Verb } from './controller-definition.ts';
import { type Cleanup, withFinalizer } from './finalizer.ts';
import { checkReconcileOptions, checkTriggerOptions } from './manager-arguments.ts';
import { checkedOptions } from './reconcile-options.ts';

/** A controller of a manager. */
export interface Controller {
  readonly name: string;
  /** No run begins until `resume`. Those that run go on, and what happens meanwhile is remembered. Idempotent. */
  pause(): void;
  resume(): void;
}

type AnyObject = KubernetesObject;

/**
 * Says what a controller is for, what it looks at, and what it does; `reconcile` completes it. controller-runtime's `builder`.
 */
export class ControllerBuilder<T extends KubernetesObject = KubernetesObject> {
  readonly #name: string;
  readonly #onComplete: (definition: ControllerDefinition) => Controller;
  readonly #triggers: Trigger[] = [];
  readonly #declarations: Declaration[] = [];
  readonly #sources: AsyncIterable<string>[] = [];
  readonly #finalizers: { readonly name: string; readonly cleanup: Cleanup<AnyObject> }[] = [];
  #resource: Resource | undefined;
  #isComplete = false;

  /** @internal */
  constructor(name: string, onComplete: (definition: ControllerDefinition) => Controller) {
    this.#name = name;
    this.#onComplete = onComplete;
  }

  /** @internal */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The kind whose keys are run. Once. */
  for<R extends KubernetesObject>(resource: Resource<R>, options: TriggerOptions<R> = {}): ControllerBuilder<R> {
    this.#mustBeResource('for', resource);
    if (this.#resource) {
      throw this.#misuse(
        `.for was called twice, for ${resourceName(this.#resource)} and ${resourceName(resource)}. Make a controller for each.`,
      );
    }
    this.#trigger('for', resource, options);
    this.#resource = resource;
    return this as unknown as ControllerBuilder<R>;
  }

  /** What the controller makes: an event of one means that its controller owner is run, when that is of the kind of `for`. */
  owns<R extends KubernetesObject>(resource: Resource<R>, options: TriggerOptions<R> = {}): this {
    return this.#trigger('owns', resource, options);
  }

  /** Other things that keys depend on. */
  watches<R extends KubernetesObject>(resource: Resource<R>, map: MapToKeys<R>, options: TriggerOptions<R> = {}): this {
    this.#mustBeResource('watches', resource);
    if (typeof map !== 'function') {
      throw new TypeError(
        `controller ${this.#name}: .watches(${resource.plural}, …) needs a function that returns the keys to run.`,
      );
    }
    return this.#trigger('watches', resource, options, map as unknown as MapToKeys<AnyObject>);
  }

  /** Keeps a cache of the resource, for `lister`. Its events cause nothing. */
  reads(resource: Resource): this {
    return this.#declare({ use: 'reads', resource });
  }

  /** What the controller does besides, for `manager.rbac()`. */
  writes(resource: Resource, verbs: readonly Verb[]): this {
    this.#mustBeResource('writes', resource);
    if (!Array.isArray(verbs)) {
      throw new TypeError(
        `controller ${this.#name}: .writes(${resource.plural}, …) needs a list of verbs: ['create'].`,
      );
    }
    return this.#declare({ use: { writes: verbs }, resource });
  }

  /** Keys from elsewhere: each one that comes is run. A source that ends or fails brings no more. */
  source(keys: AsyncIterable<string>): this {
    if (typeof (keys as Partial<AsyncIterable<string>> | undefined)?.[Symbol.asyncIterator] !== 'function') {
      throw new TypeError(`controller ${this.#name}: .source needs an async iterable of keys.`);
    }
    this.#mustBeOpen();
    this.#sources.push(keys);
    return this;
  }

  /**
   * Holds objects until `cleanup` has run: the finalizer is added before the first run, and removed when `cleanup` has succeeded after
   * somebody has deleted the object. Objects that are being deleted are not reconciled.
   */
  finalizer(name: string, cleanup: Cleanup<T>): this {
    this.#mustBeOpen();
    if (typeof cleanup !== 'function') {
      throw new TypeError(`controller ${this.#name}: .finalizer("${name}", …) needs a function that cleans up.`);
    }
    this.#mustNotBeGenerator('.finalizer', cleanup);
    this.#finalizers.push({ name, cleanup: cleanup as unknown as Cleanup<AnyObject> });
    return this;
  }

  /** Completes the controller. It starts with the manager, or at once when that runs already. */
  reconcile(reconcile: Reconcile<T>, options: ReconcileOptions = {}): Controller {
    this.#mustBeOpen();
    const resource = this.#resource;
    if (!resource) {
      throw this.#misuse('it does not say what it is for. Call .for(resource) before .reconcile.');
    }
    if (typeof reconcile !== 'function') {
      throw new TypeError(`controller ${this.#name}: .reconcile needs a function.`);
    }
    this.#mustNotBeGenerator('.reconcile', reconcile);
    checkReconcileOptions(`controller ${this.#name}: .reconcile`, options);
    const checked = checkedOptions(this.#name, options);
    this.#isComplete = true;
    const wrapped = this.#finalizers.reduceRight(
      (inner, { name, cleanup }) => withFinalizer(name, cleanup, inner, resource),
      reconcile as unknown as Reconcile<AnyObject>,
    );
    return this.#onComplete({
      name: this.#name,
      resource,
      triggers: this.#triggers,
      declarations: this.#declarations,
      sources: this.#sources,
      reconcile: wrapped,
      options: checked,
    });
  }

  #trigger<R extends KubernetesObject>(
    role: Trigger['role'],
    resource: Resource<R>,
    options: TriggerOptions<R>,
    map?: MapToKeys<AnyObject>,
  ): this {
    checkTriggerOptions(`controller ${this.#name}: .${role}`, options);
    const { when } = options;
    this.#declare({ use: role, resource });
    this.#triggers.push({ role, resource, when: when as unknown as Predicate<AnyObject> | undefined, map });
    return this;
  }

  #declare(declaration: Declaration): this {
    const { use, resource } = declaration;
    this.#mustBeResource(typeof use === 'string' ? use : 'writes', resource);
    this.#mustBeOpen();
    this.#declarations.push(declaration);
    return this;
  }

  #mustBeResource(method: string, resource: Resource): void {
    mustBeResource(`controller ${this.#name}: .${method}`, resource);
  }

  /** A call of one would run nothing, silently. */
  #mustNotBeGenerator(method: string, given: unknown): void {
    if (!isGeneratorFunction(given)) return;
    throw new TypeError(
      `controller ${this.#name}: ${method} got a generator function, of which a call runs nothing. Pass a function without the asterisk; it may be async.`,
    );
  }

  #mustBeOpen(): void {
    if (this.#isComplete) throw this.#misuse('it is complete. Call everything else before .reconcile.');
  }

  #misuse(what: string): TidewatchError {
    return new TidewatchError('misuse', `controller ${this.#name}: ${what}`);
  }
}
