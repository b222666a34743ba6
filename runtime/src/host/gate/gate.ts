import type { AipError } from '../../protocol/errors.js';
import { approvalEvidence } from './approval-evidence.js';
import { approvalRecord } from './approval-record.js';
import { capacity } from './capacity.js';
import { credentialRevision } from './credential-revision.js';
import type { Facts } from './facts.js';
import { freshness } from './freshness.js';
import { readiness } from './readiness.js';
import { recipient } from './recipient.js';
import { route } from './route.js';
import { sender } from './sender.js';
import { signature } from './signature.js';
import { streaming } from './streaming.js';
import { work } from './work.js';

/** One check: the refusal, or undefined when the request passes. Decides from the facts alone. */
export type Check = (facts: Facts) => AipError | undefined | Promise<AipError | undefined>;

/**
 * Every check after schema and decode, in the order of the contract ("Connector host data plane" 2 to 7, D-35): who signed and sent it,
 * for whom, on which route, for which work; then whether the host can take it now; then what is valid locally.
 */
export const CHECKS: readonly Check[] = [
  signature,
  sender,
  recipient,
  route,
  work,
  streaming,
  approvalEvidence,
  readiness,
  capacity,
  credentialRevision,
  approvalRecord,
  freshness,
];

/** The first refusal; undefined when all checks pass. */
export async function refusalOf(facts: Facts): Promise<AipError | undefined> {
  for (const check of CHECKS) {
    const outcome = check(facts);
    const refusal = outcome instanceof Promise ? await outcome : outcome;
    if (refusal) return refusal;
  }
  return undefined;
}
