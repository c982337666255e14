import { setMaxListeners } from 'node:events';
import { splitMetaNamespaceKey } from '../api/key.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import type { RequestHooks } from '../cluster/api-requests.ts';
import type { Client } from '../cluster/client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Lister, NamespaceLister } from '../informer/lister.ts';
import type { Logger } from '../observe/logger.ts';
import type { Cause, ReconcileContext, RecordedEvent, Recorder } from './controller.ts';
import type { ControllerCaches } from './controller-caches.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import type { Term } from './gate.ts';
import type { OwnWrites } from './own-writes.ts';
import { mustNotOwn, setControllerReference } from './owner-reference.ts';
import { about } from './run-logger.ts';

/** What all runs of a controller share. */
export interface RunEnvironment {
  readonly definition: ControllerDefinition;
  readonly cluster: Cluster;
  readonly caches: ControllerCaches;
  readonly ownWrites: OwnWrites;
  /** For the events of runs under the term. */
  recorderOf(term: Term): Recorder;
  readonly logger: Logger;
}

/** One run, as its loop knows it. */
export interface RunFacts {
  readonly run: { readonly key: string; readonly term: Term; readonly signal: AbortSignal };
  readonly causes: readonly Cause[];
  /** Of the run, where somebody looks inside. */
  readonly id: number | undefined;
}

/**
 * What one run sees. Its functions can be taken out of it, as by destructuring; everything is a property of its own, so that the rest of a
 * destructuring (`{ object, ...rest }`) has it, too.
 */
export class RunContext implements ReconcileContext<KubernetesObject> {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: Stored<KubernetesObject> | undefined;
  readonly causes: readonly Cause[];
  declare readonly signal: AbortSignal;
  declare readonly logger: Logger;
  readonly #id: number | undefined;
  readonly #environment: RunEnvironment;
  readonly #run: RunFacts['run'];
  #logger: Logger | undefined;

  /** A signal and a logger are made for the runs that use them. */
  static readonly #signalProperty = {
    enumerable: true,
    get(this: RunContext): AbortSignal {
      return this.#run.signal;
    },
  };

  static readonly #loggerProperty = {
    enumerable: true,
    get(this: RunContext): Logger {
      const { definition, logger } = this.#environment;
      this.#logger ??= about(`controller ${definition.name}, ${this.key}`, logger);
      return this.#logger;
    },
  };

  constructor({ run, causes, id }: RunFacts, environment: RunEnvironment) {
    const { namespace, name } = splitMetaNamespaceKey(run.key);
    this.key = run.key;
    this.namespace = namespace;
    this.name = name;
    this.causes = causes;
    this.#run = run;
    this.#id = id;
    this.#environment = environment;
    this.object = environment.caches.get(environment.definition.resource, run.key);
    Object.defineProperty(this, 'signal', RunContext.#signalProperty);
    Object.defineProperty(this, 'logger', RunContext.#loggerProperty);
  }

  // The cluster makes the client that fits the resource.
  readonly client = (<R extends KubernetesObject>(resource: Resource<R>): Client<R> => {
    const { cluster, definition } = this.#environment;
    return cluster.client(resource, {
      fieldManager: definition.name,
      hooks: this.#hooks(resource),
      transport: this.#run.term.transport,
      ...(this.namespace !== '' && { namespace: this.namespace }),
    });
  }) as ReconcileContext<KubernetesObject>['client'];

  readonly lister = <R extends KubernetesObject>(resource: Resource<R>): NamespaceLister<R> =>
    this.#environment.caches.namespaceLister(resource, this.namespace);

  readonly listerOfAll = <R extends KubernetesObject>(resource: Resource<R>): Lister<R> =>
    this.#environment.caches.lister(resource);

  readonly own = <R extends KubernetesObject>(object: R): R => {
    const { definition } = this.#environment;
    if (this.object) return setControllerReference(this.object, definition.resource, object);
    throw new TypeError(
      `${definition.resource.kind} ${this.key} is gone, so that it cannot own anything. Return early when \`object\` is undefined.`,
    );
  };

  readonly record = (regarding: KubernetesObject, event: RecordedEvent): void =>
    this.#environment.recorderOf(this.#run.term).record(regarding, event);

  #hooks(resource: Resource): RequestHooks {
    const { ownWrites, definition } = this.#environment;
    // Each request that is under way listens.
    setMaxListeners(0, this.signal);
    return {
      signal: this.signal,
      ...(this.#id !== undefined && { cause: this.#id }),
      beforeWrite: ({ body }) => {
        this.signal.throwIfAborted();
        if (this.object) mustNotOwn(this.object, definition.resource, resource, body);
      },
      written: (request, answer) => ownWrites.written(this.key, resource, request, answer),
      inDoubt: (request) => ownWrites.inDoubt(this.key, resource, request),
    };
  }
}
