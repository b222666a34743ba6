import type { Condition, ConnectorInstanceSpec } from '@aip/controller/internal/api';
import type { DevEvent } from '@aip/controller/internal/data-folder';
import type { FleetStatusRow } from '@aip/controller/internal/fleet-status';
import type { EventObject } from '../../kube/objects.js';
import type { InstanceView } from '../instance-view.js';

/** Something that happened to an instance, its replicas or their Pods. */
export interface EventView {
  /** RFC 3339, of the last time. */
  at: string | null;
  type: string;
  reason: string;
  /** Kind and name of the object. */
  about: string;
  note: string;
  count: number;
}

/** All that is known of one instance of a cluster. */
export interface ClusterDescription {
  kind: 'cluster';
  instance: InstanceView;
  /** Coordinates in the registry, as far as the controller has come. */
  instance_id: string | null;
  version_id: string | null;
  manifest_digest: string | null;
  config_revision: number | null;
  capabilities: number | null;
  /** Where its provider sends webhook deliveries. */
  webhook_url?: string | undefined;
  conditions: Condition[];
  bindings: ConnectorInstanceSpec['bindings'];
  /** Oldest first; null when they may not be listed. */
  events: EventView[] | null;
}

/** All that a registry, and the documents of an `aip dev`, say of one instance. */
export interface RegistryDescription {
  kind: 'registry';
  name: string;
  instance_id: string;
  tenant_id: string;
  connector: string;
  config_revision: number | null;
  /** Null when the documents are not at hand. */
  bindings: ConnectorInstanceSpec['bindings'] | null;
  /** Of a running `aip dev`, as a cluster's controller would write them. */
  conditions?: Condition[];
  events?: DevEvent[];
  replicas: FleetStatusRow[];
  webhook_url?: string | undefined;
}

/** An event as it is shown; old and new forms of it differ in where the time and the count are. */
export function eventView(event: EventObject): EventView {
  const { regarding } = event;
  return {
    at:
      event.series?.lastObservedTime ??
      event.deprecatedLastTimestamp ??
      event.eventTime ??
      event.metadata.creationTimestamp ??
      null,
    type: event.type ?? 'Normal',
    reason: event.reason ?? '',
    about: `${regarding?.kind ?? ''} ${regarding?.name ?? ''}`.trim(),
    note: event.note ?? '',
    count: event.series?.count ?? event.deprecatedCount ?? 1,
  };
}

/** The last `most` events that are about one of `names`, oldest first. */
export function lastEvents(events: readonly EventObject[], names: ReadonlySet<string>, most: number): EventView[] {
  return events
    .filter(({ regarding }) => names.has(regarding?.name ?? ''))
    .map(eventView)
    .sort((a, b) => Date.parse(a.at ?? '') - Date.parse(b.at ?? ''))
    .slice(-most);
}
