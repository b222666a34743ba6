import { demo } from '#runtime/connectors/demo/demo.js';
import { digestOf } from '#runtime/protocol/digest.js';
import type { Manifest } from '#runtime/protocol/types.js';
import { withJournalProfile } from '#runtime/protocol/wire/journal-profile.js';
import { operatorAttestation } from '#runtime/registry/attestation.js';
import type { Registry } from '#runtime/registry/registry.js';
import { TENANT, TRUST_DOMAIN } from './central.ts';
import type { Testbed } from './testbed.ts';

const P = 'AIP_CONNECTOR_HOST_';

/**
 * Puts type, version, instance and the offline replica of a testbed's demo host into the registry, as an operator's tool would, from what
 * `describe` says. Returns the manifest.
 */
export async function provision(registry: Registry, testbed: Testbed): Promise<Manifest> {
  const config = JSON.parse(testbed.env[`${P}CONFIG`] as string);
  const described = demo.manifest(config);
  const manifest: Manifest = withJournalProfile({
    ...described,
    agent: { ...described.agent, trust_domain: TRUST_DOMAIN },
  });
  const artifactDigest = testbed.env[`${P}ARTIFACT_DIGEST`] as string;
  const ids = {
    connectorTypeId: testbed.env[`${P}TYPE_ID`] as string,
    versionId: testbed.env[`${P}VERSION_ID`] as string,
  };
  const support = demo.capabilities(config).map((each) => [each.record.id, { ...each.support }] as const);
  await registry.types.put({ id: ids.connectorTypeId, name: 'demo', owner: 'us', enabled: true });
  await registry.versions.admit({
    id: ids.versionId,
    connectorTypeId: ids.connectorTypeId,
    label: '1.0.0',
    status: 'active',
    manifest,
    manifestDigest: digestOf(manifest),
    artifactDigest,
    attestation: operatorAttestation(manifest, artifactDigest, { signerIdentity: 'us', owner: 'us' }),
    implementationSupport: Object.fromEntries(support),
  });
  const instanceId = testbed.env[`${P}INSTANCE_ID`] as string;
  await registry.instances.put({
    ...ids,
    id: instanceId,
    tenantId: TENANT,
    configRevision: 1,
    secretProviderRef: testbed.env[`${P}SECRET_PROVIDER_REF`] as string,
    enabled: true,
  });
  await registry.replicas.provision({
    id: testbed.env[`${P}REPLICA_ID`] as string,
    instanceId,
    versionId: ids.versionId,
    endpoint: testbed.env[`${P}PUBLIC_ENDPOINT`] as string,
    peerPrincipalId: 'agent:demo:test',
    peerPrincipalKind: 'agent',
    peerDid: testbed.key.did,
    trustDomain: TRUST_DOMAIN,
    topology: { region: 'global', zone: 'default', capacityClass: 'standard' },
    capacity: Number(testbed.env[`${P}MAX_IN_FLIGHT`]),
  });
  return manifest;
}
