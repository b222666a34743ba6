import type { ApprovalDecision, ApprovalRequest } from '../types.js';

/** What the approver was, when the vote was taken (docs/protocol/records.md#approval-record-at-a-host). */
export interface ApprovalAuthority {
  principal_id: string;
  tenant_id?: string | null;
  roles?: string[];
  groups?: string[];
  tenant_policies?: string[];
  external_systems?: string[];
  delegated_scopes?: {
    scope: string;
    expires_at?: string | number[];
    max_risk_rank?: number | null;
    max_value?: number | null;
    revoked?: boolean;
  }[];
  /** Counts the changes of the approver's entry. */
  revision?: number;
  /** RFC 3339. */
  expires_at?: string;
  revoked?: boolean;
}

/** A vote with the authority it was cast under. */
export interface VerifiedDecision {
  decision: ApprovalDecision;
  authority: ApprovalAuthority;
}

/** The terminal record that a route carries for an approved action. */
export interface ApprovalRecord {
  request: ApprovalRequest;
  status: string;
  decision?: ApprovalDecision;
  decisions?: VerifiedDecision[];
}

/** The value as an approval record, when it has its members; their own rules are checked elsewhere. */
export function asApprovalRecord(value: unknown): ApprovalRecord | undefined {
  const record = value as ApprovalRecord | null | undefined;
  const complete =
    typeof record === 'object' &&
    record !== null &&
    typeof record.status === 'string' &&
    isObject(record.request) &&
    (record.decisions ?? []).every((vote) => isObject(vote) && isObject(vote.decision) && isObject(vote.authority));
  return complete ? record : undefined;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
