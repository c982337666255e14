import { goJsonProblem } from '../values/go-json-problem.ts';
import { isObject, type JsonValue } from '../values/json.ts';
import { jsonTypeName } from '../values/scalar-values.ts';
import { badRequest } from './status-error.ts';

export interface ContinueToken {
  /** Where the next page begins, relative to what is listed. */
  readonly startKey: string;
  /** The revision of the pages; below zero: the latest, because the old one is gone. */
  readonly revision: number;
}

/** The form of the real server: base64url of `{"v":"meta.k8s.io/v1","rv":…,"start":…}`. */
export function encodeContinue({ startKey, revision }: ContinueToken): string {
  const text = JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: startKey });
  return Buffer.from(text).toString('base64url');
}

export function decodeContinue(token: string): ContinueToken {
  const refuse = (why: string) => badRequest(`invalid continue token: continue key is not valid${why}`);
  const wrong = token.search(/[^A-Za-z0-9_-]/);
  // One character alone does not make a byte.
  const isCut = wrong < 0 && token.length % 4 === 1;
  if (wrong >= 0 || isCut) {
    throw refuse(`: illegal base64 data at input byte ${isCut ? token.length - 1 : wrong}`);
  }
  const text = Buffer.from(token, 'base64url').toString();
  const problem = goJsonProblem(text);
  if (problem !== undefined) throw refuse(`: ${problem}`);
  const value = JSON.parse(text) as JsonValue;
  if (!isObject(value)) {
    throw refuse(`: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type storage.continueToken`);
  }
  if (value.v !== 'meta.k8s.io/v1') throw refuse(`: server does not recognize this encoded version ${String(value.v)}`);
  const { rv, start } = value;
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0) {
    throw refuse(': incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  }
  if (typeof start !== 'string' || start === '') throw refuse(': encoded start key empty (version meta.k8s.io/v1)');
  const steps = start.replace(/^\//, '').split('/');
  if (steps.some((step) => step === '' || step === '.' || step === '..')) throw refuse(`: ${start}`);
  return { startKey: start.replace(/^\//, ''), revision: rv };
}
