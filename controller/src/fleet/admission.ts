import { normalForm } from '@aip/runtime/internal/messages';
import type { Manifest } from '@aip/runtime/internal/protocol';
import { digestOf, WEBHOOK_SECRET, webhookChannel } from '@aip/runtime/internal/signing';
import type { ConnectorInstance } from '../api/connector-instance.js';
import { connectorVersionId } from '../api/names.js';
import type { Description } from '../reconcile/inputs.js';
import { type DescribedConnector, DescribeFailed } from './described.js';

/** A described connector bound to its fleet: what is admitted, and what hosts must show. */
export interface Admission {
  versionId: string;
  artifactDigest: string;
  manifestDigest: string;
  manifest: Manifest;
  implementationSupport: Record<string, Record<string, boolean>>;
}

/** The outcome of a description: an admission, or why there is none. `source` is the digest of what was described. */
export type AdmissionResult =
  | { ok: true; source: string; admission: Admission }
  | { ok: false; source: string; message: string; reason?: string };

/** Digest over the members of an instance that its description depends on. */
export function admissionSource(instance: ConnectorInstance): string {
  const { connector, config, hosting, events } = instance.spec;
  const annotations = instance.metadata.annotations ?? {};
  return digestOf({ connector, config, hosting, events, secret_files: secretFiles(instance), annotations });
}

/** Names of the secret files of an instance: all that its connector is given of them when it is described. */
export function secretFiles({ spec }: ConnectorInstance): string[] {
  return spec.secrets.map(({ file }) => file).sort();
}

/** Binds what a connector said of itself to the fleet; an artifact is known by its digest. Throws DescribeFailed for webhooks without events. */
export function admissionFrom(
  instance: ConnectorInstance,
  described: DescribedConnector,
  { trustDomain, artifactDigest }: { trustDomain: string; artifactDigest: string },
): Admission {
  const { type, version } = instance.spec.connector;
  const manifest = boundManifest(described.manifest, trustDomain);
  if (!instance.spec.events.enabled && takesWebhooks(instance, manifest))
    throw new DescribeFailed(
      `the secret ${WEBHOOK_SECRET} makes the hosts take webhook deliveries, but spec.events.enabled is false; enable events or remove the secret`,
    );
  const manifestDigest = digestOf(manifest);
  return {
    versionId: connectorVersionId({ type, version, manifestDigest, artifactDigest }),
    artifactDigest,
    manifestDigest,
    manifest,
    implementationSupport: described.implementation_support,
  };
}

/** Do the hosts of an instance take webhook deliveries? Its connector must read them, and it must have the secret for them. */
export function takesWebhooks(instance: ConnectorInstance, { channels = [] }: Pick<Manifest, 'channels'>): boolean {
  if (!secretFiles(instance).includes(WEBHOOK_SECRET)) return false;
  const channel = webhookChannel(instance.spec.connector.type);
  return channels.some((each) => (typeof each === 'string' ? each : (each as { id?: unknown }).id) === channel);
}

/** The manifest as the host shows it: its agent with the fleet's trust domain and without DID, in normal form (docs/protocol/host.md#manifest-binding). */
export function boundManifest(manifest: Manifest, trustDomain: string): Manifest {
  const { did: _, ...agent } = manifest.agent;
  return normalForm('Manifest', { ...manifest, agent: { ...agent, trust_domain: trustDomain } }) as Manifest;
}

/** The description as the desired-state core sees it. */
export function descriptionOf(result: AdmissionResult | undefined): Description | undefined {
  if (!result) return undefined;
  if (!result.ok) return { ok: false, message: result.message, reason: result.reason };
  const { versionId, manifestDigest, manifest } = result.admission;
  return {
    ok: true,
    versionId,
    manifestDigest,
    capabilityIds: (manifest.capabilities ?? []).map((capability) => capability.id),
  };
}

/** An External instance states its manifest; what it implements is taken from the manifest's contracts (docs/kubernetes/reference.md). Throws DescribeFailed. */
export function inlineDescription(instance: ConnectorInstance): DescribedConnector {
  const manifest = instance.spec.connector.manifest as unknown as Manifest | undefined;
  if (!manifest?.agent) throw new DescribeFailed('spec.connector.manifest has no agent; state its id and kind');
  const support: DescribedConnector['implementation_support'] = {};
  for (const { id, contract } of manifest.capabilities ?? []) {
    const modes = contract?.transaction?.supported_modes ?? [];
    support[id] = {
      invocation: true,
      cancellation: contract?.execution.supports_cancel ?? false,
      streaming: contract?.execution.supports_streaming ?? false,
      retry: contract?.execution.supports_retry ?? false,
      transaction: modes.length > 0,
      reconciliation: modes.includes('reconcile'),
      compensation: contract?.compensation !== undefined,
      approval: contract?.approval !== undefined,
      credentials: contract?.credentials !== undefined,
    };
  }
  return { manifest, implementation_support: support };
}
