import type { DocumentStore } from '../../postgres/documents.js';
import type { Clock } from '../../protocol/clock.js';
import type { DocumentReference } from '../../protocol/content/documents.js';
import { newEnvelope } from '../../protocol/envelope.js';
import { type AipError, outcomeUnknown, TimeoutExceeded } from '../../protocol/errors.js';
import { newId } from '../../protocol/ids.js';
import { PEER_TIMEOUT_MS } from '../../protocol/limits.js';
import type { Action, ActionResult, ConnectorRoute } from '../../protocol/types.js';
import type { Registry } from '../../registry/registry.js';
import type { RouteAssignment } from '../../registry/routes/assignment.js';
import type { Settlement } from '../../registry/routes/settle.js';
import { doubling } from '../../time/retry.js';
import { waited } from '../../time/wait.js';
import type { SignerSource } from '../../transport/http/error-response.js';
import type { Peer, PeerClient } from '../../transport/peer/client.js';
import type { DocumentSink } from '../../transport/peer/exchange.js';
import type { Logger } from '../../transport/process/logger.js';
import { type SpanStart, traced } from '../../transport/telemetry/telemetry.js';
import { withRecipient } from './project.js';
import { type Ending, type Verdict, verdictOfAnswer, verdictOfFailure, verdictOfGivingUp } from './verdict.js';

/** How often and how a host is asked again for an action whose answer did not come. Times in milliseconds. */
export interface AskRule {
  /**
   * Failed tries in a row before work is given up that certainly did not begin. A host that is there but still works is
   * no failed try.
   */
  readonly failures: number;
  /** Failed tries in a row before the outcome of work that may have begun counts as unknown. */
  readonly failuresBegun: number;
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** Bound of one attempt of the peer client; an asking that took longer found a host that works. */
  readonly attemptMs: number;
}

/**
 * About 12 seconds of patience with a host that cannot be reached, in which a killed one is usually back; and about 25
 * with one that may have begun the work, nearly as long as the lease of a killed one lasts: it alone knows the outcome.
 */
export const DEFAULT_ASK_RULE: AskRule = {
  failures: 8,
  failuresBegun: 12,
  firstPauseMs: 100,
  maxPauseMs: 3200,
  attemptMs: PEER_TIMEOUT_MS,
};

/** A request to one host: the action as it is sent, and its route. */
export interface HostRequest {
  readonly action: Action;
  readonly route: ConnectorRoute;
  readonly assignment: RouteAssignment;
  readonly sessionId?: string | undefined;
  readonly mayHaveBegun: boolean;
  /** The largest document that the result may name, in bytes; absent: none. */
  readonly maxDocumentBytes?: number | undefined;
  /** The host journals actions by id: asked for again in another message, one never begins twice. */
  readonly journaled: boolean;
}

/** How it ended: the host's result, or an error; and how the assignment is to be released. */
export type HostOutcome =
  | { readonly kind: 'result'; readonly result: ActionResult; readonly settlement: 'completed' }
  | { readonly kind: 'failed'; readonly error: AipError; readonly settlement: Settlement };

/** Where documents of a tenant's results are kept, and the largest one that this server takes, in bytes. */
export interface ResultDocuments {
  storeOf(tenantId: string): Pick<DocumentStore, 'write'>;
  readonly maxBytes: number;
}

/** What asking needs. */
export interface AskDeps {
  readonly peer: Pick<PeerClient, 'send'>;
  /** The gateway, with its trust domain, and its present key. */
  readonly signer: SignerSource;
  readonly registry: { readonly replicas: Pick<Registry['replicas'], 'get'> };
  /** Where documents of results are kept; absent: results have none. */
  readonly documents?: ResultDocuments | undefined;
  readonly rule: AskRule;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Asks the pinned host for an action: one signed envelope, sent once and at most twice more when no answer comes. Only a
 * host that journals actions by id is asked on, until there is a result, an end, or no time left: one exchange may last
 * 5 seconds and an action longer, and the host attaches the same action in a fresh envelope to the running execution or
 * answers from its journal. Tries that reach no host are bounded by the rule; asking ends when the replica has no lease
 * any more. The time of the action is over when the signal fires for TimeoutExceeded. Never throws.
 */
export async function askHost(deps: AskDeps, request: HostRequest, signal: AbortSignal): Promise<HostOutcome> {
  const { rule } = deps;
  const pauseMs = doubling(rule.firstPauseMs, rule.maxPauseMs);
  let began = request.mayHaveBegun;
  let failures = 0;
  for (;;) {
    const verdict = await askOnce(deps, request, began, signal);
    if (signal.aborted && verdict.kind !== 'result') return stopped(signal.reason);
    if (verdict.kind !== 'again') return outcomeOf(verdict);
    began = verdict.began;
    if (!request.journaled) return outcomeOf(verdictOfGivingUp(began, verdict.error));
    failures = verdict.alive ? 0 : failures + 1;
    const spent = failures > (began ? rule.failuresBegun : rule.failures);
    const over = spent || (await leaseEnded(deps, request.assignment));
    if (over) return outcomeOf(verdictOfGivingUp(began, verdict.error));
    deps.log.debug(
      { action_id: request.action.id, code: verdict.error.code, alive: verdict.alive, failures },
      'asking the host again',
    );
    const waitMs = verdict.alive ? 0 : Math.min(rule.maxPauseMs, Math.max(verdict.waitMs, pauseMs(failures - 1)));
    if (waitMs > 0) await waited(waitMs, signal);
    if (signal.aborted) return stopped(signal.reason);
  }
}

async function askOnce(deps: AskDeps, request: HostRequest, began: boolean, signal: AbortSignal): Promise<Verdict> {
  const { action, route, assignment, sessionId } = request;
  const { principal, key } = deps.signer();
  const envelope = newEnvelope(
    { action: withRecipient(action, { ...principal, did: key.did }) },
    {
      ...(sessionId === undefined ? {} : { session_id: sessionId }),
      correlation_id: newId('correlation'),
      security: { connector_route: route },
    },
    deps,
  );
  const startedAt = performance.now();
  let unanswered = false;
  const onUnanswered = (): void => {
    unanswered = true;
  };
  try {
    const document = documentSink(deps, request);
    const sending = { idempotencyKey: action.id, key, signal, onUnanswered, document: document?.sink };
    const answer = await traced('aip.action.dispatch', dispatchSpan(request), () =>
      deps.peer.send(envelope, peerOf(assignment), sending),
    );
    return verdictOfAnswer(answer, action.id, document?.kept());
  } catch (error) {
    const tookMs = performance.now() - startedAt;
    const asking = { began: began || unanswered, tookMs, attemptMs: deps.rule.attemptMs };
    return verdictOfFailure(error, { actionId: action.id, ...asking });
  }
}

/** The span of one exchange with the host, repeats of the same message included. */
function dispatchSpan({ action, assignment }: HostRequest): SpanStart {
  const { hostname, port } = new URL(assignment.endpoint);
  return {
    kind: 'client',
    attributes: {
      'aip.action_id': action.id,
      'aip.capability_id': action.capability_id,
      'aip.replica_id': assignment.replicaId,
      'server.address': hostname,
      ...(port !== '' && { 'server.port': Number(port) }),
    },
  };
}

/** Keeps the document that comes with the answer of this request, when its capability has documents. */
function documentSink(
  { documents }: AskDeps,
  { action, assignment, maxDocumentBytes }: HostRequest,
): { sink: DocumentSink; kept: () => DocumentReference | undefined } | undefined {
  if (!documents || maxDocumentBytes === undefined) return undefined;
  let kept: DocumentReference | undefined;
  const sink = {
    maxBytes: Math.min(maxDocumentBytes, documents.maxBytes),
    keep: async (parts: AsyncIterable<Buffer>) => {
      kept = await documents.storeOf(assignment.tenantId).write(action.id, parts);
    },
  };
  return { sink, kept: () => kept };
}

/** The peer that an assignment pins. */
export function peerOf(assignment: RouteAssignment): Peer {
  return {
    url: assignment.endpoint,
    principal: { id: assignment.peerPrincipalId, kind: assignment.peerPrincipalKind },
    did: assignment.peerDid,
    trustDomain: assignment.trustDomain,
  };
}

/** Whether no host can answer for the replica any more; false while the registry cannot be read. */
async function leaseEnded(deps: AskDeps, { replicaId }: RouteAssignment): Promise<boolean> {
  try {
    const replica = await deps.registry.replicas.get(replicaId);
    return !replica || replica.leaseExpiresAt <= deps.clock();
  } catch (error) {
    deps.log.debug({ err: error, replica_id: replicaId }, 'the lease of a replica could not be read');
    return false;
  }
}

function outcomeOf(verdict: Ending): HostOutcome {
  return verdict.kind === 'result' ? { ...verdict, settlement: 'completed' } : verdict;
}

function stopped(reason: unknown): HostOutcome {
  const error =
    reason instanceof TimeoutExceeded ? reason : outcomeUnknown('the execution was stopped', { cause: reason });
  return { kind: 'failed', error, settlement: 'outcome_unknown' };
}
