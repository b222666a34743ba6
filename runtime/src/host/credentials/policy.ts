import { AipError, CredentialRevisionUnavailable } from '../../protocol/errors.js';
import { MAX_CREDENTIAL_REF_BYTES } from '../../protocol/limits.js';
import { readProtectedFile, StartupRefused } from '../../transport/settings/env.js';
import type { HostConfig } from '../config/config.js';

/** Which credential revisions a host accepts (docs/protocol/host.md#credential-revision). */
export interface CredentialPolicy {
  current?: string;
  previous: readonly string[];
  revoked: readonly string[];
}

/** Gives the policy in force now. Throws CredentialRevisionUnavailable. */
export type CredentialPolicySource = () => CredentialPolicy;

const MAX_POLICY_BYTES = 65_536;
const MEMBERS = ['current_revision_ref', 'accepted_previous_revisions', 'revoked_revisions'];

/** The configured revision alone, or the policy file, which is read and checked again on every call so that a rename takes effect at once. */
export function credentialPolicySource(
  file: string | undefined,
  configured: string | undefined,
): CredentialPolicySource {
  if (file === undefined) {
    const fixed = { ...(configured !== undefined && { current: configured }), previous: [], revoked: [] };
    return () => fixed;
  }
  return () => {
    try {
      return parseCredentialPolicy(readProtectedFile(file, 'public', MAX_POLICY_BYTES));
    } catch (cause) {
      throw new CredentialRevisionUnavailable(undefined, { cause });
    }
  };
}

/** Reads a policy; throws a RangeError that says what is wrong. */
export function parseCredentialPolicy(text: string): CredentialPolicy {
  const value = JSON.parse(text) as Record<string, unknown>;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RangeError('must be an object');
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw new RangeError(`has the unknown member ${unknown}`);
  const current = value.current_revision_ref ?? undefined;
  const references = [
    ...(current === undefined ? [] : [current]),
    ...listOf(value, 'accepted_previous_revisions'),
    ...listOf(value, 'revoked_revisions'),
  ];
  if (!references.every(isReference))
    throw new RangeError(`references must have 1 to ${MAX_CREDENTIAL_REF_BYTES} bytes`);
  if (new Set(references).size !== references.length) throw new RangeError('names a revision twice');
  return {
    ...(current !== undefined && { current: current as string }),
    previous: value.accepted_previous_revisions as string[],
    revoked: value.revoked_revisions as string[],
  };
}

function listOf(value: Record<string, unknown>, name: string): unknown[] {
  const list = value[name];
  if (!Array.isArray(list)) throw new RangeError(`needs the list ${name}`);
  return list;
}

function isReference(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && Buffer.byteLength(value) <= MAX_CREDENTIAL_REF_BYTES;
}

/** Whether the policy accepts what a route pins; revoked always loses, and no pin is fine only where no revision is configured. */
export function credentialVerdict(policy: CredentialPolicy, pinned: string | undefined): AipError | undefined {
  if (pinned === undefined) {
    return policy.current === undefined && policy.previous.length === 0
      ? undefined
      : new AipError(
          'connector_host.credential_revision_denied',
          'the route pins no credential revision, and this host needs one',
        );
  }
  if (policy.revoked.includes(pinned))
    return new AipError('connector_host.credential_revision_denied', 'the pinned credential revision is revoked');
  if (pinned === policy.current || policy.previous.includes(pinned)) return undefined;
  return new AipError('connector_host.credential_revision_denied');
}

/** The policy source of a host; it must be readable now and accept the configured revision. Throws StartupRefused. */
export function acceptedPolicySource({ credential, credentialPolicyFile }: HostConfig): CredentialPolicySource {
  const source = credentialPolicySource(credentialPolicyFile, credential?.revision);
  const refusal = credentialVerdict(source(), credential?.revision);
  if (refusal) throw new StartupRefused(refusal.code, 'the credential policy does not accept the configured revision');
  return source;
}
