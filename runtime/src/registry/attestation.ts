import { digestOf } from '../protocol/digest.js';
import type { Manifest } from '../protocol/types.js';

/** What vouches for the artifact of a version (docs/protocol/registry.md#attestation): digests of the evidence, who signed, and the four checks. */
export interface Attestation {
  readonly artifact_digest: string;
  readonly schema_bundle_digest: string;
  readonly signer_identity: string;
  readonly owner: string;
  readonly supported_aip_versions: readonly string[];
  readonly conformance_status: CheckStatus;
  readonly vulnerability_policy_status: CheckStatus;
  readonly license_policy_status: CheckStatus;
  readonly revocation_status: CheckStatus;
}

export type CheckStatus = 'not_evaluated' | 'passed' | 'failed';

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Digest of all input and output schemas of a manifest, in its order. */
export function schemaBundleDigest(manifest: Manifest): string {
  const schemas = (manifest.capabilities ?? []).map(({ id, input_schema, output_schema }) => ({
    capability_id: id,
    input: input_schema,
    output: output_schema ?? null,
  }));
  return digestOf({ schemas });
}

/** The attestation that an operator gives by admitting an artifact: its own word for all four checks. */
export function operatorAttestation(
  manifest: Manifest,
  artifactDigest: string,
  by: { signerIdentity: string; owner: string },
): Attestation {
  return {
    artifact_digest: artifactDigest,
    schema_bundle_digest: schemaBundleDigest(manifest),
    signer_identity: by.signerIdentity,
    owner: by.owner,
    supported_aip_versions: ['1.0'],
    conformance_status: 'passed',
    vulnerability_policy_status: 'passed',
    license_policy_status: 'passed',
    revocation_status: 'passed',
  };
}

/** Why an attestation is not valid for these schemas (the digest of their bundle) and this artifact, or undefined when it is. */
export function attestationProblem(
  attestation: Attestation,
  version: { schemaBundle: string; artifactDigest: string; owner: string },
): string | undefined {
  if (!DIGEST.test(attestation.artifact_digest) || attestation.artifact_digest !== version.artifactDigest)
    return 'the attestation is for another artifact';
  if (attestation.schema_bundle_digest !== version.schemaBundle) return 'the attestation is for other schemas';
  if (attestation.owner !== version.owner || attestation.signer_identity.trim() === '')
    return 'the attestation comes from another owner';
  if (!attestation.supported_aip_versions.includes('1.0')) return 'the artifact does not support AIP 1.0';
  const { conformance_status, vulnerability_policy_status, license_policy_status, revocation_status } = attestation;
  const checks = { conformance_status, vulnerability_policy_status, license_policy_status, revocation_status };
  const failed = Object.entries(checks).find(([, status]) => status !== 'passed');
  return failed && `${failed[0]} is ${failed[1]}`;
}
