import type { Pool, Queryable } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import { AipError, NotAuthorized } from '../../../protocol/errors.js';
import { samePrincipal } from '../../../protocol/identity/principal.js';
import { parseJson } from '../../../protocol/json.js';
import type { ApprovalDecision, Event, EventStream, Principal } from '../../../protocol/types.js';
import { voteRefusal } from '../../actions/approval/decision/checks.js';
import { type ApprovalOutcome, approvalOutcome } from '../../actions/approval/decision/status.js';
import { sameVote, voteOf } from '../../actions/approval/decision/vote.js';
import { approvalEvent, approvalEventId } from '../../actions/approval/events.js';
import { recordActionEnd } from '../../actions/finish/measure.js';
import type { Settlement } from '../../actions/finish/write.js';
import type { Identity } from '../../edge/identity.js';
import { appendEvents, type NewEvent } from '../../events/log/append.js';
import type { AuthorityResolver } from '../authority/resolve.js';
import { auditVote } from './audit.js';
import { type Ending, finishApproval } from './finish.js';
import { addVote, type HeldApproval, holdApproval } from './hold.js';

// Stored events of a tenant by their ids, for a decision that was received before.
const READ_EVENTS = `
SELECT record::text AS record FROM runtime.events
WHERE event_id = ANY($1) AND tenant_id IS NOT DISTINCT FROM $2 ORDER BY xid, seq`;

/** What deciding approvals needs. */
export interface DecideDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly gateway: Principal;
  readonly authorityOf: AuthorityResolver;
}

/**
 * Takes a caller's decision on an approval. An admitted vote, what it makes of the approval and what follows for the waiting action are
 * one commit; of decisions that arrive together exactly one ends the approval. Answers the events that came of it; the same decision
 * again changes nothing. Throws NotAuthorized, `approval.not_found`, and the policy errors of a vote that is not admitted.
 */
export async function decideApproval(
  deps: DecideDeps,
  identity: Identity,
  decision: ApprovalDecision,
): Promise<EventStream> {
  if (!samePrincipal(decision.approver, identity.principal))
    throw new NotAuthorized('approver must be the authenticated caller, with its id and kind');
  const authority = await deps.authorityOf(identity);
  if (!authority) throw new NotAuthorized('the caller has no entry that lets it decide approvals');
  const { events, settlement } = await deps.pool.tx(async (client): Promise<Decided> => {
    const ref = { approvalId: decision.approval_id, tenantId: identity.tenantId ?? null };
    const held = await holdApproval(client, ref);
    if (!held) throw new AipError('approval.not_found', undefined, { details: { approval_id: decision.approval_id } });
    const { approval, votes, action } = held;
    const known = votes.find((vote) => vote.decision.decision_id === decision.decision_id);
    if (known && sameVote(known.decision, decision)) return { events: await eventsSoFar(client, held) };
    const nowMs = deps.clock();
    const refusal = voteRefusal({ decision, authority, approval, votes, action, nowMs });
    if (refusal) throw refusal;
    if (known)
      throw new AipError(
        'policy.approval_mismatch',
        'decision_id was used for another decision; send the new one with its own id',
      );
    const vote = voteOf(decision, identity.principal, authority, nowMs);
    await addVote(client, held, vote);
    const outcome = approvalOutcome(approval.request, [...votes, vote]);
    await auditVote(client, held, vote, outcome.status);
    if (ended(outcome)) {
      const finished = await finishApproval(client, { approval, action, ...outcome }, deps.gateway, nowMs);
      return { ...finished, events: finished.events.map(({ event }) => event) };
    }
    const event = recorded(held, vote.decision, nowMs);
    await appendEvents(client, [event]);
    return { events: [event.event] };
  });
  if (settlement) recordActionEnd(settlement);
  return { events };
}

/** The events that a decision is answered with, and the end of the action that it refused. */
type Decided = { readonly events: Event[]; readonly settlement?: Settlement };

function ended(outcome: ApprovalOutcome): outcome is { status: Ending; decision: ApprovalDecision } {
  return outcome.status !== 'pending';
}

function recorded({ approval, action, votes }: HeldApproval, decision: ApprovalDecision, nowMs: number): NewEvent {
  const data = {
    approval_id: approval.approval_id,
    decision_id: decision.decision_id,
    approver: decision.approver,
    recorded_decisions: votes.length + 1,
    status: 'pending',
  };
  return approvalEvent({ approval, action }, 'aip.approval.vote_recorded', decision.approver, data, nowMs);
}

/** The events of a decision that was admitted before: those of the end, or none while the approval is still pending. */
async function eventsSoFar(client: Queryable, { approval }: HeldApproval): Promise<Event[]> {
  const { approval_id: id, status, tenant_id: tenantId } = approval;
  const { rows } = await client.query<{ record: string }>({
    name: 'runtime.events.by_id',
    text: READ_EVENTS,
    values: [[approvalEventId(id, `${status}_decision`), approvalEventId(id, `${status}_result`)], tenantId],
  });
  return rows.map((row) => parseJson(row.record) as Event);
}
