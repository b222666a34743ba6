import type { KubeObject, ResourceKind } from '#controller/kube/kube.js';
import { until } from '../../../../support/until.ts';
import type { ApiServer } from '../../support/api-server.ts';

/** A kind of its own with rules and a status, for what ConfigMaps cannot show. */
export const BOAT: ResourceKind = {
  apiVersion: 'example.dev/v1',
  kind: 'Boat',
  plural: 'boats',
  namespaced: true,
};

export interface Boat extends KubeObject {
  spec: { oars: number };
  status?: { phase?: string; conditions?: { type: string; status: string }[] };
}

const condition = { type: 'object', properties: { type: { type: 'string' }, status: { type: 'string' } } };
const conditions = {
  type: 'array',
  items: { ...condition, required: ['type'] },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
};
const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.dev' },
  spec: {
    group: 'example.dev',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { oars: { type: 'integer', maximum: 8 } } },
              status: { type: 'object', properties: { phase: { type: 'string' }, conditions } },
            },
          },
        },
      },
    ],
  },
};

export const boat = (name: string, oars: number): Boat => ({
  apiVersion: BOAT.apiVersion,
  kind: BOAT.kind,
  metadata: { name, namespace: 'default' },
  spec: { oars },
});

/** Makes the kind known, and waits until it is served. */
export async function defineBoats(api: ApiServer): Promise<void> {
  await api.kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(CRD));
  await until('boats are served', () => api.kubectl(['get', 'boats']).then(() => true));
}
