import type {
  ConnectorInstanceSpec,
  ConnectorInstanceStatus,
  ConnectorReplicaSpec,
  ConnectorReplicaStatus,
} from '@aip/controller/internal/api';
import type { KubeObject } from '@aip/controller/internal/kube';

/** What the CLI reads of a condition, whoever wrote it. */
export interface ObjectCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

export interface ServiceObject extends KubeObject {
  spec?: {
    selector?: Record<string, string>;
    ports?: { name?: string; port: number; targetPort?: number | string }[];
  };
}

export interface PodObject extends KubeObject {
  spec?: { containers?: { name: string; ports?: { name?: string; containerPort: number }[] }[] };
  status?: {
    phase?: string;
    conditions?: ObjectCondition[];
    containerStatuses?: { name: string; restartCount: number; state?: { waiting?: { reason?: string } } }[];
  };
}

export interface LeaseObject extends KubeObject {
  spec?: { holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number };
}

export interface EventObject extends KubeObject {
  type?: string;
  reason?: string;
  note?: string;
  eventTime?: string | null;
  deprecatedLastTimestamp?: string | null;
  deprecatedCount?: number;
  series?: { count: number; lastObservedTime: string };
  regarding?: { kind?: string; name?: string; namespace?: string };
  reportingController?: string;
}

/** Is the Pod's own Ready condition true, and is it not going away? */
export function isPodReady(pod: PodObject): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** A ConnectorInstance as the API server gives it. */
export interface InstanceObject extends KubeObject {
  spec: ConnectorInstanceSpec;
  status?: ConnectorInstanceStatus;
}

/** A ConnectorReplica as the API server gives it. */
export interface ReplicaObject extends KubeObject {
  spec: ConnectorReplicaSpec;
  status?: ConnectorReplicaStatus;
}
