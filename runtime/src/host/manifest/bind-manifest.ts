import { isDeepStrictEqual } from 'node:util';
import { canonicalBytes } from '../../protocol/canonical.js';
import { normalForm } from '../../protocol/decode/normal-form.js';
import { digestOf } from '../../protocol/digest.js';
import { MAX_MANIFEST_BYTES, MAX_MANIFEST_CAPABILITIES } from '../../protocol/limits.js';
import type { Capability, Manifest, Principal } from '../../protocol/types.js';
import { check } from '../../protocol/validate.js';
import { withJournalProfile } from '../../protocol/wire/journal-profile.js';
import { StartupRefused } from '../../transport/settings/env.js';

/** The manifest a host serves for its whole life. */
export interface BoundManifest {
  manifest: Manifest;
  /** `sha256:` and 64 hex digits of the canonical manifest. */
  digest: string;
  capabilities: ReadonlyMap<string, Capability>;
}

/** Principal of a host: the manifest's agent in the trust domain; its DID is the host key's. */
export function hostPrincipal(manifest: Manifest, trustDomain: string, did: string): Principal {
  return { ...manifest.agent, trust_domain: trustDomain, did };
}

/**
 * Binds a connector's manifest to the host principal: the agent gets the trust domain and no DID, so that replicas with different keys
 * have one digest (docs/protocol/host.md#manifest-binding). Throws StartupRefused when the manifest is not valid, too large, names another trust domain or DID, or
 * differs from `described` in its agent.
 */
export function bindManifest(connectorManifest: Manifest, principal: Principal): BoundManifest {
  const refuse = (why: string): StartupRefused => new StartupRefused('connector_host.manifest', `the manifest ${why}`);
  const { agent } = connectorManifest;
  const { trust_domain: trustDomain, did, ...rest } = agent;
  const { trust_domain: hostDomain, did: hostDid, ...hostRest } = principal;
  if (!isDeepStrictEqual(rest, hostRest)) throw refuse('names another agent than the one the host began with');
  if (trustDomain !== undefined && trustDomain !== hostDomain) throw refuse('names another trust domain');
  if (did !== undefined && did !== hostDid) throw refuse('names another DID');

  const stated = normalForm('Manifest', {
    ...connectorManifest,
    agent: { ...hostRest, trust_domain: hostDomain },
  }) as Manifest;
  const [issue] = check('Manifest', stated);
  if (issue) throw refuse(`is invalid at ${issue.path}: ${issue.message}`);
  const manifest = withJournalProfile(stated);
  const { capabilities: list = [] } = manifest;
  if (list.length > MAX_MANIFEST_CAPABILITIES) {
    throw refuse(`has more than ${MAX_MANIFEST_CAPABILITIES} capabilities`);
  }
  if (canonicalBytes(manifest).length > MAX_MANIFEST_BYTES) throw refuse(`is larger than ${MAX_MANIFEST_BYTES} bytes`);
  const capabilities = new Map(list.map((capability) => [capability.id, capability]));
  if (capabilities.size !== list.length) throw refuse('names a capability twice');
  return { manifest, digest: digestOf(manifest), capabilities };
}
