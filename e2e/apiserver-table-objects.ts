import type { JsonObject } from '../src/apiserver/values/json.ts';

/** An object that a real server prints; where it has a status, that is set through the subresource. */
export interface PrintedObject {
  path: string;
  object: JsonObject;
  status?: JsonObject;
}

export const LONG_AGO = '2020-02-03T04:05:06Z';
export const template = {
  metadata: { labels: { app: 'web', tier: 'b' } },
  spec: {
    nodeSelector: { disk: 'ssd' },
    containers: [
      { name: 'a', image: 'nginx' },
      { name: 'b', image: 'redis:7' },
    ],
  },
};
export const selector = {
  matchLabels: { app: 'web' },
  matchExpressions: [{ key: 'tier', operator: 'In', values: ['b', 'a'] }],
};

export function jobTemplate(): JsonObject {
  return { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'busybox' }] } };
}
