import { publicKeyOfDid } from '../../protocol/identity/did.js';
import { grantList, textSet } from './configured-lists.js';
import type { Identity } from './identity.js';
import { principalOfId } from './principal-kind.js';
import { isTenantId } from './principals-file.js';

/** Trusted signers by DID: each is bound to a principal, with its scopes and tenant. */
export type TrustedSigners = ReadonlyMap<string, Identity>;

/**
 * Reads the configured signers: `inline` entries DID=PRINCIPAL_ID, and the value of a signer file, an array of
 * {signer_did, principal_id, scopes?, tenant_id?, delegated_authority?}. A DID that is no Ed25519 did:key or that repeats, or an entry
 * without a principal, throws an Error, which stops the start (docs/protocol/client-api.md#authentication).
 */
export function trustedSigners(inline: readonly string[], file: unknown): TrustedSigners {
  const signers = new Map<string, Identity>();
  const add = (place: string, did: unknown, identity: () => Identity): void => {
    if (typeof did !== 'string') throw new Error(`${place}: the signer's DID is missing.`);
    try {
      publicKeyOfDid(did);
    } catch {
      throw new Error(`${place}: ${did} is not the did:key of an Ed25519 key.`);
    }
    if (signers.has(did)) throw new Error(`${place}: the DID ${did} is given twice.`);
    signers.set(did, identity());
  };
  for (const [index, entry] of inline.entries()) {
    const at = entry.indexOf('=');
    const place = `Trusted signer ${index}`;
    if (at < 1 || entry.slice(at + 1).trim() === '') throw new Error(`${place}: must be DID=PRINCIPAL_ID.`);
    add(place, entry.slice(0, at).trim(), () => identityOf(entry.slice(at + 1).trim(), new Set(), undefined, []));
  }
  if (file === undefined) return signers;
  if (!Array.isArray(file) || file.length === 0)
    throw new Error('The trusted signer file must hold an array with entries.');
  for (const [index, entry] of file.entries()) {
    const place = `Entry ${index} of the trusted signer file`;
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
      throw new Error(`${place}: must be an object.`);
    const { signer_did, principal_id, scopes, tenant_id, delegated_authority, ...rest } = entry as Record<
      string,
      unknown
    >;
    const unknown = Object.keys(rest)[0];
    if (unknown !== undefined) throw new Error(`${place}: the member ${unknown} is not known.`);
    if (typeof principal_id !== 'string' || principal_id.trim() === '')
      throw new Error(`${place}: the principal of the signer is missing.`);
    if (tenant_id !== undefined && !isTenantId(tenant_id))
      throw new Error(`${place}: tenant_id must be 1 to 512 bytes.`);
    const held = textSet(scopes, () => new Error(`${place}: scopes must be a list of texts.`));
    const grants = grantList(delegated_authority, (what) => new Error(`${place}: ${what}.`));
    add(place, signer_did, () => identityOf(principal_id, held, tenant_id as string | undefined, grants));
  }
  return signers;
}

function identityOf(
  principalId: string,
  scopes: ReadonlySet<string>,
  tenantId: string | undefined,
  grants: NonNullable<Identity['grants']>,
): Identity {
  const tenant = tenantId === undefined ? {} : { tenantId };
  return { principal: principalOfId(principalId), scopes, ...tenant, roles: [], grants, scheme: 'did_proof' };
}
