import { webhookNames } from '@aip/runtime/protocol/webhook.js';
import { connectorInstanceId, secretProviderRef } from '../../api/names.js';
import { takesWebhooks } from '../../fleet/admission.js';
import type { InstanceStanding } from '../loop.js';
import type { DevInstance } from './data-dir.js';
import type { LocalState } from './store.js';

/** The instances part of dev.json: every admitted instance that is not being removed, External hosts also while offline. */
export function devInstances(state: LocalState, standing: ReadonlyMap<string, InstanceStanding>): DevInstance[] {
  const instances: DevInstance[] = [];
  for (const [key, record] of Object.entries(state.instances)) {
    const admission = standing.get(key)?.admission;
    if (record.deleted || !admission) continue;
    const { metadata, spec } = record.resource;
    const replicas = Object.values(state.replicas).filter((replica) => replica.instance === key && !replica.retiring);
    const [first] = replicas;
    const webhooks = first?.managed && takesWebhooks(record.resource, admission.manifest);
    instances.push({
      name: metadata.name,
      namespace: metadata.namespace,
      instance_id: connectorInstanceId(record.resource, record.uid),
      version_id: admission.versionId,
      manifest_digest: admission.manifestDigest,
      artifact_digest: admission.artifactDigest,
      config_revision: record.configRevision,
      secret_provider_ref: secretProviderRef(record.resource),
      capability_count: admission.manifest.capabilities?.length ?? 0,
      tenant_id: spec.tenantId,
      replicas: replicas.map((replica) => ({
        replica_id: replica.replicaId,
        endpoint: replica.endpoint,
        did: replica.did,
        managed: replica.managed,
      })),
      ...(webhooks && { webhook_url: new URL(webhookNames(spec.connector.type).path, first.endpoint).href }),
    });
  }
  return instances;
}

/** Has every instance come as far as this machine can bring it: admitted with as many ready replicas as wanted, or refused? */
export function allReady(state: LocalState, standing: ReadonlyMap<string, InstanceStanding>): boolean {
  return Object.entries(state.instances).every(([key, record]) => {
    const found = standing.get(key);
    if (record.deleted || record.resource.spec.suspend) return true;
    if (!found) return false;
    if (isRefused(found)) return true;
    const registered = Object.values(state.replicas).filter((replica) => replica.instance === key).length;
    if (record.resource.spec.hosting === 'External') {
      const wanted = Object.values(state.externals).filter(
        ({ resource: { metadata, spec } }) =>
          `${metadata.namespace}/${spec.instanceRef.name}` === key && spec.desiredState === 'Ready',
      ).length;
      return found.admission !== undefined && registered >= wanted;
    }
    if (!record.resource.spec.enabled) return found.admission !== undefined;
    return found.plan.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  });
}

/** Instances that can't get further without a change of their document, with the reason. */
export function refusals(standing: ReadonlyMap<string, InstanceStanding>): string[] {
  return [...standing.values()].filter(isRefused).map(({ key, plan }) => {
    const admitted = plan.conditions.find(({ type }) => type === 'Admitted');
    return `${key}: ${admitted?.message}`;
  });
}

function isRefused({ plan }: InstanceStanding): boolean {
  return plan.conditions.some(({ type, status }) => type === 'Admitted' && status === 'False');
}
