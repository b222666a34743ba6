import { digestOf, sha256Hex } from '#runtime/protocol/digest.js';
import type { Capability, Manifest } from '#runtime/protocol/types.js';
import { operatorAttestation } from '#runtime/registry/attestation.js';
import type { Registry } from '#runtime/registry/registry.js';

/** Admits an instance of a tenant with capabilities, each bound; no replica runs. */
export async function admitInstance(
  registry: Registry,
  name: string,
  tenantId: string,
  capabilities: Capability[],
  profiles = ['aip.native.http.v1'],
): Promise<void> {
  const artifactDigest = `sha256:${sha256Hex(name)}`;
  const manifest: Manifest = {
    manifest_version: 'aip-manifest/v1',
    agent: { id: `agent:${name}`, kind: 'agent' },
    capabilities,
    profiles,
  };
  await registry.types.put({ id: `ctype_${name}`, name, owner: 'owner', enabled: true });
  await registry.versions.admit({
    id: `cver_${name}`,
    connectorTypeId: `ctype_${name}`,
    label: '1',
    status: 'active',
    manifest,
    manifestDigest: digestOf(manifest),
    artifactDigest,
    attestation: operatorAttestation(manifest, artifactDigest, { signerIdentity: 'owner', owner: 'owner' }),
    implementationSupport: {},
  });
  await registry.instances.put({
    id: `cinst_${name}`,
    connectorTypeId: `ctype_${name}`,
    versionId: `cver_${name}`,
    tenantId,
    configRevision: 1,
    secretProviderRef: 'none',
    enabled: true,
  });
  for (const { id } of capabilities)
    await registry.bindings.put({
      tenantId,
      capabilityId: id,
      instanceId: `cinst_${name}`,
      priority: 0,
      enabled: true,
    });
}
