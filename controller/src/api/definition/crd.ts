import { connectorInstanceSchema } from '../connector-instance.js';
import { connectorReplicaSchema } from '../connector-replica.js';
import { GROUP, VERSION } from '../group.js';
import type { ResourceSchema } from '../json-schema.js';

/** A column of `kubectl get`; `wide` ones are shown with `-o wide` only. */
interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  readonly wide?: true;
}

/** A resource of the group as its definition describes it to an API server. */
export interface ResourceDefinition {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly schema: ResourceSchema & { readonly properties: Readonly<Record<string, ResourceSchema>> };
  readonly columns: readonly Column[];
  /** Members that field selectors may use, as JSON paths. */
  readonly selectable: readonly string[];
  readonly scalable: boolean;
}

const text = (name: string, jsonPath: string, description: string): Column => ({
  name,
  type: 'string',
  jsonPath,
  description,
});
const count = (name: string, jsonPath: string, description: string): Column => ({
  name,
  type: 'integer',
  jsonPath,
  description,
});
const wide = (column: Column): Column => ({ ...column, wide: true });
const AGE: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since it was made.',
};

/** Every resource of the group. */
export const RESOURCE_DEFINITIONS: readonly ResourceDefinition[] = [
  {
    kind: 'ConnectorInstance',
    plural: 'connectorinstances',
    shortName: 'cinst',
    schema: connectorInstanceSchema,
    columns: [
      text('Connector', '.spec.connector.type', 'Connector type.'),
      text('Version', '.spec.connector.version', 'Version label wanted.'),
      count('Desired', '.spec.replicas', 'Hosts wanted.'),
      count('Ready', '.status.readyReplicas', 'Hosts that take new actions.'),
      count('Draining', '.status.drainingReplicas', 'Hosts that finish their work before they are removed.'),
      text('Status', '.status.conditions[?(@.type=="Ready")].reason', 'Why it is ready, or why not.'),
      text('Stalled', '.status.conditions[?(@.type=="Stalled")].reason', 'What only a change can fix, if anything.'),
      AGE,
      wide(text('Tenant', '.spec.tenantId', 'Tenant served.')),
      wide(text('Manifest', '.status.manifestDigest', 'Digest of the admitted manifest.')),
      wide(
        text('Message', '.status.conditions[?(@.type=="Ready")].message', 'Why it is ready, or why not, for people.'),
      ),
    ],
    selectable: ['.spec.tenantId', '.spec.connector.type'],
    scalable: true,
  },
  {
    kind: 'ConnectorReplica',
    plural: 'connectorreplicas',
    shortName: 'crep',
    schema: connectorReplicaSchema,
    columns: [
      text('Instance', '.spec.instanceRef.name', 'ConnectorInstance served.'),
      text('State', '.status.state', 'State in the registry.'),
      text('Version', '.spec.versionId', 'Id of the version in the registry.'),
      text('Pod', '.status.podName', 'Pod that runs the host.'),
      AGE,
      wide(text('Desired', '.spec.desiredState', 'State wanted.')),
      wide(count('Capacity', '.spec.capacity', 'Concurrent actions.')),
      wide(count('Holds', '.status.drain.pinnedActions', 'Actions that it still holds while it takes no new ones.')),
      wide(text('Removed by', '.status.drain.deadline', 'When its Pod is ended at the latest.')),
      wide(text('Circuit', '.status.circuit', 'Open: gateways send it no new work for a while.')),
      wide(text('Endpoint', '.spec.endpoint', 'URL by which gateways reach the host.')),
      wide(
        text('Message', '.status.conditions[?(@.type=="Ready")].message', 'Why it is ready, or why not, for people.'),
      ),
    ],
    selectable: ['.spec.instanceRef.name', '.status.state'],
    scalable: false,
  },
];

/** The CustomResourceDefinition (apiextensions.k8s.io/v1) of a resource. */
export function customResourceDefinition(definition: ResourceDefinition): Record<string, unknown> {
  const { kind, plural, schema, shortName } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        categories: ['aip'],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          additionalPrinterColumns: definition.columns.map(({ wide: hidden, ...column }) => ({
            ...column,
            ...(hidden && { priority: 1 }),
          })),
          selectableFields: definition.selectable.map((jsonPath) => ({ jsonPath })),
          subresources: {
            status: {},
            ...(definition.scalable && {
              scale: {
                specReplicasPath: '.spec.replicas',
                statusReplicasPath: '.status.replicas',
                labelSelectorPath: '.status.selector',
              },
            }),
          },
          schema: { openAPIV3Schema: structural(schema) },
        },
      ],
    },
  };
}

/** The schema with an API server's own members: it checks `metadata` itself, and bounds on the name keep the cost of rules about it known. */
function structural(schema: ResourceDefinition['schema']): Record<string, unknown> {
  const { spec, status } = schema.properties;
  return {
    ...schema,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: 'Group and version of this form of the resource.' },
      kind: { type: 'string', description: 'Kind of the resource.' },
      metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 253 } } },
      spec,
      status,
    },
  };
}
