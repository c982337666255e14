import type { ServedResource } from '../storage/served-resource.ts';
import { resultOf, type Steps } from '../storage/steps.ts';
import { cloneJson, type JsonObject, jsonEqual } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import type { AdmissionRequest } from './admission.ts';

/** The states of the object of a request, as clients of one version see them. Not to be changed. */
export interface VersionedStates {
  readonly version: ServedResource;
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
}

/**
 * A request in the versions that those who are asked about it want to see. Each is made once, until the object changes; where a
 * webhook converts, it is asked, and fails with a `StatusError`.
 */
export class VersionedRequest {
  readonly #request: AdmissionRequest;
  readonly #objects = new Map<ServedResource, JsonObject>();
  readonly #olds = new Map<ServedResource, JsonObject>();

  constructor(request: AdmissionRequest) {
    this.#request = request;
  }

  *in(version: ServedResource): Steps<VersionedStates> {
    const { object, old, objectKind } = this.#request;
    return {
      version,
      object: objectKind === undefined ? yield* this.#state(version, object, this.#objects) : object,
      old: yield* this.#state(version, old, this.#olds),
    };
  }

  /** Puts what was made of the object, in some version, in its place, with its defaults. Whether anything is different. */
  *replace({ version, object: before }: VersionedStates, after: JsonObject): Steps<boolean> {
    const { object = {}, resource } = this.#request;
    const isChanged = !jsonEqual(before ?? null, after);
    const changed = yield* this.#converted(version, resource, after);
    for (const key of Object.keys(object)) delete object[key];
    Object.assign(object, changed);
    resource.strategy.defaults?.(object);
    this.#objects.clear();
    // Whoever sees this version next sees what was made in it, not what is left of it on the way there and back.
    if (resource.shown) this.#objects.set(version, after);
    return isChanged;
  }

  *#state(
    version: ServedResource,
    state: JsonObject | undefined,
    made: Map<ServedResource, JsonObject>,
  ): Steps<JsonObject | undefined> {
    if (!state) return undefined;
    const known = made.get(version);
    if (known) return known;
    const shown = yield* this.#shown(version, state);
    made.set(version, shown);
    return shown;
  }

  *#shown(version: ServedResource, state: JsonObject): Steps<JsonObject> {
    const { kind, apiVersion, init } = version;
    const { resource } = this.#request;
    const shaped = resource.shown
      ? yield* this.#converted(resource, version, state)
      : (init.conversion?.fromStorage(cloneJson(state)) ?? state);
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = shaped;
    return init.custom ? { apiVersion, kind, ...rest } : { kind, apiVersion, ...rest };
  }

  /** Objects of requests are as they are stored, or in the version of the request where somebody outside converts. */
  *#converted(from: ServedResource, to: ServedResource, object: JsonObject): Steps<JsonObject> {
    const { outside } = to.init;
    if (!outside) return from.init.conversion?.toStorage(object) ?? object;
    if (from === to) return object;
    const converted = yield* resultOf(outside.fromStorage(cloneJson(object), from.apiVersion));
    // The revision is not a part of what is converted.
    const { resourceVersion } = metadataOf(object);
    if (resourceVersion !== undefined) converted.metadata = { ...metadataOf(converted), resourceVersion };
    return converted;
  }
}
