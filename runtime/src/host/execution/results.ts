import type { Result } from '../../connectors/sdk/capability.js';
import { ConnectorFailure } from '../../connectors/sdk/failure.js';
import { outcomeUnknown } from '../../protocol/errors.js';
import type { Action, ActionResult, Capability, ProtocolError } from '../../protocol/types.js';

/** Name under which the host itself answers. */
export const HOST_COMPONENT = 'aip-connector-host';

/** Side effects after which the world is as before. */
const HARMLESS = new Set(['read', 'external_network']);

/** Whether calls of the capability may change something at the provider. Without a contract they may. */
export function mutates({ contract }: Capability): boolean {
  return !contract || (contract.side_effects ?? []).some((effect) => !HARMLESS.has(effect));
}

/** Whether the contract says that the action may run again, whatever became of it. */
export function isSafeToRepeat({ contract }: Capability, action: Action): boolean {
  const safety = contract?.execution.retry_safety;
  return safety === 'safe' || (safety === 'safe_with_idempotency_key' && action.idempotency_key !== undefined);
}

/** The error as one that leaves open whether the provider acted. */
export function leftOpen(error: ProtocolError): ProtocolError {
  return { ...error, details: { ...(error.details as object | undefined), uncertain_outcome: true } };
}

/** Result of a call that succeeded. */
export function completed(
  actionId: string,
  { status = 'completed', output, message }: Pick<Result, 'status' | 'output' | 'message'>,
): ActionResult {
  return {
    action_id: actionId,
    status,
    ...(output !== undefined && { output }),
    ...(message !== undefined && message.length > 0 && { message }),
  };
}

/** Result of an action that failed with this error. */
export function failed(actionId: string, error: ProtocolError): ActionResult {
  return { action_id: actionId, status: 'failed', error };
}

/** Result of a cancelled action; where an effect may exist all the same, the error says so. */
export function cancelled(actionId: string, connectorType: string, uncertain: boolean): ActionResult {
  const result: ActionResult = { action_id: actionId, status: 'cancelled', output: { cancelled: true } };
  if (!uncertain) return result;
  const failure = new ConnectorFailure({
    code: `connector.${connectorType}.cancelled`,
    message: 'the action was cancelled while the provider may have acted',
    category: 'temporary',
    uncertainOutcome: true,
    operation: 'cancellation',
  });
  return { ...result, error: failure.projected(connectorType, 'cancellation') };
}

/** Result of an action that a former process began: it is unknown whether the provider acted. */
export function interrupted(actionId: string): ActionResult {
  return failed(
    actionId,
    outcomeUnknown('the host was stopped while it executed the action').toProtocolError(HOST_COMPONENT),
  );
}

/** Whether a failed result says that nothing happened and the action may run again. */
export function mayRunAgain({ status, error }: ActionResult): boolean {
  const uncertain = (error?.details as { uncertain_outcome?: boolean } | undefined)?.uncertain_outcome ?? false;
  return status === 'failed' && error?.retryable === true && !uncertain;
}
