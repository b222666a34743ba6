import type { Capability } from '#runtime/protocol/types.js';
import { probeCapability } from '../../../../support/external-host.ts';

/** What an External instance of a test is like. */
export interface ExternalShape {
  namespace?: string;
  type?: string;
  tenantId?: string;
  version?: string;
  capabilities?: Capability[];
}

/** An External instance; by default of type `probe` with the capability `cap:probe:echo`. */
export function externalInstance(name: string, shape: ExternalShape = {}): object {
  const { namespace = 'default', type = 'probe', tenantId = name, version = '1.0.0' } = shape;
  const manifest = {
    manifest_version: 'aip-manifest/v1',
    agent: { id: `agent:${type}`, kind: 'agent' },
    capabilities: shape.capabilities ?? [probeCapability('echo')],
    profiles: ['aip.native.http.v1'],
  };
  return {
    apiVersion: 'fleet.aip.dev/v1alpha1',
    kind: 'ConnectorInstance',
    metadata: { name, namespace },
    spec: {
      hosting: 'External',
      connector: { type, version, manifest, artifactDigest: `sha256:${'ab'.repeat(32)}` },
      tenantId,
    },
  };
}

/** A host that a user registers. */
export function externalHost(
  name: string,
  { instance, endpoint, peerDid }: { instance: string; endpoint: string; peerDid: string },
  namespace = 'default',
): object {
  return {
    apiVersion: 'fleet.aip.dev/v1alpha1',
    kind: 'ConnectorReplica',
    metadata: { name, namespace },
    spec: { instanceRef: { name: instance }, endpoint, peerDid },
  };
}
