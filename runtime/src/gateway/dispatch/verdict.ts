import { type DocumentReference, documentOf } from '../../protocol/content/documents.js';
import type { Envelope } from '../../protocol/envelope.js';
import { AipError, outcomeUnknown, RemoteError, ReplicaUnavailable } from '../../protocol/errors.js';
import type { ActionResult } from '../../protocol/types.js';
import type { Settlement } from '../../registry/routes/settle.js';
import { DestinationRefused, PeerTransportFailed } from '../../transport/peer/errors.js';

/** What one asking of a host means for the action. */
export type Verdict =
  /** The host's result, whatever it says. */
  | { readonly kind: 'result'; readonly result: ActionResult }
  /** It ends here with an error; `settlement` says how its assignment is released. */
  | { readonly kind: 'failed'; readonly error: AipError; readonly settlement: Settlement }
  /**
   * The same action may be asked for again, of a host that journals actions by id. `began`: the work may have begun.
   * `alive`: the host is there, so this does not count as a failed try.
   */
  | {
      readonly kind: 'again';
      readonly began: boolean;
      readonly alive: boolean;
      readonly waitMs: number;
      readonly error: AipError;
    };

/** A verdict that ends the asking. */
export type Ending = Exclude<Verdict, { kind: 'again' }>;

/** What is known around one asking. */
export interface Asking {
  readonly actionId: string;
  /** An earlier attempt, asking or dispatch may have begun the work. */
  readonly began: boolean;
  /** How long this asking took, and how long one attempt may take, in milliseconds. */
  readonly tookMs: number;
  readonly attemptMs: number;
}

/** Signed answers by which a host turns work away before it begins, and which may be otherwise soon. */
const NOT_NOW: ReadonlySet<string> = new Set([
  'connector_host.not_ready',
  'connector_host.capacity',
  'connector_host.credential_revision_unavailable',
  'connector_host.approval_authorization_unavailable',
]);

/** Signed answers by which a host turns this one action away permanently; the host itself is well. */
const REFUSED: ReadonlySet<string> = new Set([
  'connector_host.credential_revision_denied',
  'connector_host.approval_authorization_conflict',
  'action.id_conflict',
]);

/** Signed answers of a host that cannot take what it was sent: nothing began, and the replica serves nobody. */
const MISROUTED: ReadonlySet<string> = new Set(['connector_host.route_mismatch', 'connector_host.authentication']);

const REPLAYED = 'connector_host.replay';

/** Judges a verified answer without an error: the result of this action, or nothing that is known. */
export function verdictOfAnswer(answer: Envelope, actionId: string, document?: DocumentReference): Verdict {
  const { action_result: result } = answer.body as { action_result?: ActionResult };
  if (document && documentOf(result?.output)?.digest !== document.digest)
    return unknownOutcome(
      new AipError('runtime.handler_failed', 'the host sent another document than the one that its result names'),
    );
  if (result?.action_id === actionId) return { kind: 'result', result };
  return unknownOutcome(
    new AipError('runtime.handler_failed', 'the host answered with something else than the result of the action'),
  );
}

/** Judges a failed asking (docs/protocol/registry.md#release). */
export function verdictOfFailure(error: unknown, asking: Asking): Verdict {
  if (error instanceof RemoteError) return verdictOfRefusal(error, asking);
  if (error instanceof PeerTransportFailed) return verdictOfTransport(error, asking);
  if (error instanceof DestinationRefused && !asking.began) return { kind: 'failed', error, settlement: 'unreached' };
  return unknownOutcome(error);
}

/** The end of an action that was sent as often as allowed: its outcome is open, or it certainly never began. */
export function verdictOfGivingUp(began: boolean, last: AipError): Ending {
  if (began) return unknownOutcome(last);
  const error = new ReplicaUnavailable('the connector host of the action cannot be reached', { cause: last });
  return { kind: 'failed', error, settlement: 'unreached' };
}

function verdictOfRefusal(error: RemoteError, { began }: Asking): Verdict {
  const { code } = error;
  if (NOT_NOW.has(code)) {
    if (!began) return { kind: 'failed', error, settlement: 'refused' };
    return { kind: 'again', began, alive: false, waitMs: error.retryAfterMs ?? 0, error };
  }
  if (code === REPLAYED || (began && (REFUSED.has(code) || MISROUTED.has(code)))) return unknownOutcome(error);
  if (REFUSED.has(code)) return { kind: 'failed', error, settlement: 'refused' };
  if (MISROUTED.has(code)) return { kind: 'failed', error, settlement: 'unreached' };
  return { kind: 'failed', error, settlement: 'outcome_unknown' };
}

function verdictOfTransport(error: PeerTransportFailed, asking: Asking): Verdict {
  if (!error.reached) return { kind: 'again', began: asking.began, alive: false, waitMs: 0, error };
  const { cause } = error;
  const lostAnswer = cause instanceof RemoteError && cause.code === REPLAYED;
  if (error.httpStatus !== undefined && !lostAnswer) return unknownOutcome(error);
  const alive = lostAnswer || asking.tookMs >= asking.attemptMs;
  return { kind: 'again', began: true, alive, waitMs: 0, error };
}

function unknownOutcome(cause: unknown): Ending {
  return { kind: 'failed', error: outcomeUnknown(undefined, { cause }), settlement: 'outcome_unknown' };
}
