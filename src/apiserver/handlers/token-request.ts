import { randomBytes } from 'node:crypto';
import type { Api } from '../api.ts';
import { inputFormat, parseObject } from '../request/body.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { notFound } from '../request/status-error.ts';
import { keyFor } from '../storage/object-writer.ts';
import { asArray, asObject } from '../values/json.ts';
import { timestamp } from '../values/object-meta.ts';
import { documentResponse } from './object-response.ts';

const DEFAULT_SECONDS = 3600;

/** Gives out a token for a service account; it stands for that account until the server stops or the token expires. */
export function handleTokenRequest(api: Api, scope: ResourceScope): ServerResponse {
  const { resource, info, namespace, request } = scope;
  const account = resource.table.objects.get(keyFor(namespace, info.name));
  if (!account) throw notFound(resource, info.name);
  const { object } = parseObject(request.body, inputFormat(request.headers['content-type']), 'TokenRequest');
  const spec = asObject(object.spec);
  const seconds = typeof spec.expirationSeconds === 'number' ? spec.expirationSeconds : DEFAULT_SECONDS;
  const token = randomBytes(32).toString('base64url');
  const name = `system:serviceaccount:${namespace}:${info.name}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const expiresMs = api.clock.now() + seconds * 1000;
  api.access.addToken(token, { name, uid: account.uid, groups }, expiresMs);
  const audiences = asArray(spec.audiences).length > 0 ? asArray(spec.audiences) : ['https://kubernetes.default.svc'];
  const answer = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: info.name, namespace, creationTimestamp: timestamp(api.clock.now()) },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: timestamp(expiresMs) },
  };
  return documentResponse(201, Buffer.from(JSON.stringify(answer)), scope.output);
}
