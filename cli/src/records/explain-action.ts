import { getAction, getReceipts, leavesOutcomeOpen } from '@aip/runtime/internal/client';
import { ClientError, type Gateway } from '@aip/runtime/internal/gateway';
import type { ActionStatus, ApprovalRecordView, Event, ReceiptChain } from '@aip/runtime/internal/protocol';
import { eventPage } from '../client/event-page.js';
import { read, segment } from '../client/read.js';
import { shortDuration } from '../duration.js';
import { precise } from '../ui/when.js';

/** What became of an action, in sentences, and commands that continue from there. */
export interface Explanation {
  action_id: string;
  state: string;
  said: string[];
  next: string[];
}

/** What an explanation is made from; what the caller may not read is absent. */
export interface Evidence {
  status: ActionStatus;
  events: readonly Event[];
  receipts?: ReceiptChain | undefined;
  approval?: ApprovalRecordView | undefined;
}

/** Reads an action with its events, receipts and approval, and says what became of it. */
export async function explainAction(gateway: Gateway, id: string): Promise<Explanation> {
  const status = await getAction(gateway, id, { result: true });
  const orNothing = <T>(work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      if (error instanceof ClientError) return undefined;
      throw error;
    });
  const [events, receipts, approval] = await Promise.all([
    orNothing(read<Record<string, unknown>>(gateway, `/aip/v1/actions/${segment(id)}/events`, { limit: 1000 })),
    orNothing(getReceipts(gateway, id)),
    status.approval_id === undefined
      ? undefined
      : orNothing(read<ApprovalRecordView>(gateway, `/aip/v1/approvals/${segment(status.approval_id)}`)),
  ]);
  return explain({ status, events: events ? eventPage(events).events : [], receipts, approval });
}

/** The sentences. Pure. */
export function explain({ status, events, receipts, approval }: Evidence, now = Date.now()): Explanation {
  const said: string[] = [];
  const next: string[] = [];
  const { action_id: id, state } = status;
  const requester = receipts?.receipts[0]?.actor.id ?? events[0]?.actor?.id;
  const accepted = receipts?.receipts.find(({ receipt_type: type }) => type === 'action_accepted')?.occurred_at;
  const started = status.started_at ?? events[0]?.occurred_at;
  // An action that waited for a person starts later than it was accepted.
  const at = accepted ?? (approval ? undefined : started);
  said.push(
    `${id} calls ${status.capability_id ?? 'a capability'}${requester ? ` for ${requester}` : ''}${at ? `, accepted at ${precise(at)}` : ''}.`,
  );
  if (approval) said.push(...approvalSentences(approval));
  const host = hostOf(events, receipts);
  if (host) said.push(`It ran at ${host}.`);
  const retry = status.retry as
    | {
        attempts?: number;
        next_attempt_at?: string;
        last_error?: { code: string; message: string };
        dead_letter_reason?: string;
      }
    | undefined;
  if (retry?.attempts !== undefined && retry.attempts > 1) {
    const why = retry.last_error
      ? `; the last attempt failed with ${retry.last_error.code}: ${retry.last_error.message}`
      : '';
    said.push(`It was tried ${retry.attempts} times${why}.`);
  }
  const took =
    started === undefined
      ? undefined
      : shortDuration(Math.max(0, Date.parse(status.completed_at ?? '') - Date.parse(started)));
  const error = status.result?.error;
  if (state === 'completed') said.push(`It completed${status.completed_at && took ? ` after ${took}` : ''}.`);
  else if (state === 'failed' || state === 'dead_lettered')
    said.push(
      `It failed${error ? ` with ${error.code}: ${error.message}` : ''}${retry?.dead_letter_reason ? `; it was given up: ${retry.dead_letter_reason}` : ''}.`,
    );
  else if (state === 'cancelled')
    said.push('It was cancelled; that does not prove that an effect at the provider was reversed.');
  else if (state === 'expired') said.push('It expired before it could run.');
  else if (state === 'pending_approval') said.push('It waits for a person.');
  else if (state === 'queued' && retry?.next_attempt_at)
    said.push(
      `It waits for its next attempt in ${shortDuration(Math.max(0, Date.parse(retry.next_attempt_at) - now))}.`,
    );
  else if (state === 'queued') said.push('It waits for a worker or for a free host.');
  else said.push(`It is ${state}.`);
  if (receipts)
    said.push(
      `${receipts.receipts.length} ${receipts.receipts.length === 1 ? 'receipt records' : 'receipts record'} it: ${receipts.receipts.map(({ receipt_type }) => receipt_type).join(', ')}.`,
    );

  if (state === 'pending_approval' && status.approval_id)
    next.push(`Decide: aip approvals approve ${status.approval_id}`);
  else if (error && leavesOutcomeOpen(error))
    next.push('Look at the provider before you repeat it: its effect may have happened.');
  else if (error?.code.startsWith('action.input'))
    next.push(`See what it takes: aip capabilities get ${status.capability_id}`);
  else if (error && /replica|route|binding|capacity/.test(error.code))
    next.push('See what serves it: aip fleet status');
  else if (state === 'failed' || state === 'dead_lettered')
    next.push(
      error?.retryable
        ? 'Submit it again, with the same --idempotency-key if it had one.'
        : 'Fix the cause, then submit it again.',
    );
  else if (state === 'running' || state === 'streaming' || state === 'queued')
    next.push(`Follow it: aip actions follow ${id}`);
  else if (state === 'completed') next.push(`Prove it: aip receipts get ${id}`);
  if (error?.code === THROWN) next.push(`See where the connector threw: aip fleet logs ${logOf(host)}`);
  return { action_id: id, state, said, next };
}

/** What a connector threw without a type: its text stays on the host. */
const THROWN = 'connector.operation_failed';

/** What `aip fleet logs` calls the replica of an id such as `crepl_default.shop-1a2b3c-0.0a1b2c3d`. */
function logOf(replicaId = ''): string {
  return /^crepl_[a-z0-9-]+\.([a-z0-9-]+)/.exec(replicaId)?.[1] ?? 'INSTANCE';
}

function approvalSentences({ request, status, decision }: ApprovalRecordView): string[] {
  const asked = `It needed an approval (${request.reason})`;
  if (!decision)
    return [
      `${asked}, which is ${status}${request.expires_at && status === 'pending' ? ` until ${precise(request.expires_at)}` : ''}.`,
    ];
  return [
    `${asked}, which ${decision.approver.id} ${decision.decision} at ${precise(decision.decided_at)}${decision.reason ? `: ${decision.reason}` : ''}.`,
  ];
}

/** The replica or host that a receipt or event names. */
function hostOf(events: readonly Event[], receipts: ReceiptChain | undefined): string | undefined {
  const data = [...(receipts?.receipts ?? []), ...events].map(
    (each) => each.data as Record<string, unknown> | undefined,
  );
  for (const each of data) {
    const found =
      each?.replica_id ?? (each?.route as Record<string, unknown> | undefined)?.replica_id ?? each?.executor;
    if (typeof found === 'string') return found;
  }
  return undefined;
}
