import type { FunctionTable } from './function-table.ts';
import { type CelValue, LibraryValue } from './values.ts';

/** What an expression asks the server about a user, part by part. */
export interface AccessQuestion {
  /** Another user than the one of the request. */
  readonly user?: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** `authorizer`, and what `group`, `resource` and the like make of it. */
export class Authorizer extends LibraryValue {
  readonly typeName: string;
  readonly question: AccessQuestion;
  readonly allows: (question: AccessQuestion, verb: string) => boolean;

  /** The object of the request, as a question; `authorizer` itself knows it. */
  readonly #request: AccessQuestion | undefined;

  constructor(
    typeName: string,
    question: AccessQuestion,
    allows: (question: AccessQuestion, verb: string) => boolean,
    request?: AccessQuestion,
  ) {
    super();
    this.#request = request;
    this.typeName = typeName;
    this.question = question;
    this.allows = allows;
  }

  with(typeName: string, part: AccessQuestion): Authorizer {
    return new Authorizer(typeName, { ...this.question, ...part }, this.allows);
  }

  equals(other: LibraryValue): boolean {
    return other === this;
  }

  override field(name: string): LibraryValue | undefined {
    return name === 'requestResource' && this.#request ? this.with(RESOURCE, this.#request) : undefined;
  }
}

class Decision extends LibraryValue {
  readonly typeName = 'kubernetes.authorization.Decision';
  readonly allowed: boolean;

  constructor(allowed: boolean) {
    super();
    this.allowed = allowed;
  }

  equals(other: LibraryValue): boolean {
    return other instanceof Decision && other.allowed === this.allowed;
  }
}

const ROOT = 'kubernetes.authorization.Authorizer';
const GROUP = 'kubernetes.authorization.GroupCheck';
const RESOURCE = 'kubernetes.authorization.ResourceCheck';
const PATH = 'kubernetes.authorization.PathCheck';

/** A step from one kind of question to another, with one text. */
function step(from: string, to: string, part: (text: string) => AccessQuestion) {
  return (value: CelValue | undefined, text: CelValue | undefined): CelValue | undefined =>
    value instanceof Authorizer && value.typeName === from && typeof text === 'string'
      ? value.with(to, part(text))
      : undefined;
}

export const authorizerFunctions: FunctionTable = {
  '.path': step(ROOT, PATH, (path) => ({ path })),
  '.group': step(ROOT, GROUP, (group) => ({ group })),
  '.resource': step(GROUP, RESOURCE, (resource) => ({ resource })),
  '.subresource': step(RESOURCE, RESOURCE, (subresource) => ({ subresource })),
  '.namespace': step(RESOURCE, RESOURCE, (namespace) => ({ namespace })),
  '.name': step(RESOURCE, RESOURCE, (name) => ({ name })),
  '.serviceAccount': (value, namespace, name) =>
    value instanceof Authorizer && typeof namespace === 'string' && typeof name === 'string'
      ? value.with(ROOT, { user: `system:serviceaccount:${namespace}:${name}` })
      : undefined,
  '.check': (value, verb) =>
    value instanceof Authorizer && typeof verb === 'string'
      ? new Decision(value.allows(value.question, verb))
      : undefined,
  '.allowed': (value) => (value instanceof Decision ? value.allowed : undefined),
  '.errored': (value) => (value instanceof Decision ? false : undefined),
  '.error': (value) => (value instanceof Decision ? '' : undefined),
  '.reason': (value) => (value instanceof Decision ? '' : undefined),
};
