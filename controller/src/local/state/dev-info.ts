import { webhookNames } from '@aip/runtime/internal/signing';
import { connectorInstanceId, secretProviderRef } from '../../api/names.js';
import { takesWebhooks } from '../../fleet/admission.js';
import type { DevInstance } from './data-dir.js';
import type { InstanceOutcome } from './instance-outcome.js';
import type { LocalState } from './store.js';

/** The instances part of dev.json: every admitted instance that is not being removed, External hosts also while offline. */
export function devInstances(state: LocalState, outcomes: ReadonlyMap<string, InstanceOutcome>): DevInstance[] {
  const instances: DevInstance[] = [];
  for (const [key, record] of Object.entries(state.instances)) {
    const admission = outcomes.get(key)?.admission;
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

/** Instances by how far they are: as wanted, not further without a change, or under way. */
export function progressOf(
  state: LocalState,
  outcomes: ReadonlyMap<string, InstanceOutcome>,
): { ready: number; stuck: number; total: number } {
  const entries = Object.entries(state.instances).filter(([, { deleted }]) => !deleted);
  const ready = entries.filter((entry) => isAsWanted(entry, state, outcomes)).length;
  const stuck = entries.filter(
    (entry) => !isAsWanted(entry, state, outcomes) && isStuck(outcomes.get(entry[0])),
  ).length;
  return { ready, stuck, total: entries.length };
}

/** Is it known of every instance what its connector is, or why that cannot be known? Replicas of an earlier run may be ready before it is. */
export function areDescribed(state: LocalState, outcomes: ReadonlyMap<string, InstanceOutcome>): boolean {
  return Object.entries(state.instances).every(([key, { deleted }]) => {
    const found = outcomes.get(key);
    return deleted || found?.admission !== undefined || isStuck(found);
  });
}

/** Has it come as far as this machine can bring it: admitted with as many ready replicas as wanted? */
function isAsWanted(
  [key, record]: [string, LocalState['instances'][string]],
  state: LocalState,
  outcomes: ReadonlyMap<string, InstanceOutcome>,
): boolean {
  const found = outcomes.get(key);
  if (record.deleted || record.resource.spec.suspend) return true;
  if (!found) return false;
  const registered = Object.values(state.replicas).filter((replica) => replica.instance === key).length;
  if (record.resource.spec.hosting === 'External') {
    const wanted = Object.values(state.externals).filter(
      ({ resource: { metadata, spec } }) =>
        `${metadata.namespace}/${spec.instanceRef.name}` === key && spec.desiredState === 'Ready',
    ).length;
    return found.admission !== undefined && registered >= wanted;
  }
  if (!record.resource.spec.enabled) return found.admission !== undefined;
  return found.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** Does nothing but a change help: refused, stalled, or with a host in trouble? */
function isStuck(outcome: InstanceOutcome | undefined): boolean {
  return (outcome?.conditions ?? []).some(
    ({ type, status, reason }) =>
      (type === 'Stalled' && status === 'True') ||
      (type === 'Admitted' && status === 'False') ||
      (type === 'Ready' && reason === 'HostTrouble'),
  );
}

/** What is wrong with an instance, for people; undefined when nothing is. */
export function problemOf({ conditions }: InstanceOutcome): string | undefined {
  const grave = conditions.find(
    ({ type, status, reason }) =>
      (type === 'Stalled' && status === 'True') ||
      (type === 'Admitted' && status === 'False') ||
      reason === 'HostTrouble',
  );
  return grave && `${grave.reason}: ${grave.message}`;
}
