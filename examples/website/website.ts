/** The custom resource of the example: its type, its token, and its definition for the server. */
import { defineResource, type KubernetesObject } from 'tidewatch';
import type { CustomResourceDefinition } from 'tidewatch/api/apiextensions/v1';
import type { Condition } from 'tidewatch/controller';

export interface Website extends KubernetesObject {
  spec: {
    /** The page. */
    html: string;
    /** How many servers. Default 1. */
    replicas?: number;
  };
  status?: {
    readyReplicas?: number;
    conditions?: Condition[];
  };
}

export const websites = defineResource<Website>({
  group: 'example.com',
  version: 'v1',
  plural: 'websites',
  kind: 'Website',
});

const condition = {
  type: 'object',
  required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
  properties: {
    type: { type: 'string' },
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    observedGeneration: { type: 'integer', format: 'int64' },
    lastTransitionTime: { type: 'string', format: 'date-time' },
    reason: { type: 'string' },
    message: { type: 'string' },
  },
};

const spec = {
  type: 'object',
  required: ['html'],
  properties: {
    html: { type: 'string' },
    replicas: { type: 'integer', format: 'int32', minimum: 0, default: 1 },
  },
};

const status = {
  type: 'object',
  properties: {
    readyReplicas: { type: 'integer', format: 'int32' },
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: condition,
    },
  },
};

export const websiteDefinition: CustomResourceDefinition = {
  metadata: { name: 'websites.example.com' },
  spec: {
    group: websites.group,
    scope: 'Namespaced',
    names: { plural: websites.plural, kind: websites.kind },
    versions: [
      {
        name: websites.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        ],
        schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec, status } } },
      },
    ],
  },
};
