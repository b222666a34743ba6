import type { ConnectorCapability, LostOperation } from '../../connectors/sdk/capability.js';
import type { CapabilityContext } from '../../connectors/sdk/context.js';
import { ConnectorFailure, OperationUnsupported } from '../../connectors/sdk/failure.js';
import { plainJson } from '../../protocol/json.js';
import type { Action } from '../../protocol/types.js';

/** The provider has not come to an end yet; ask again with the cursor. */
export class ReconciliationPending extends ConnectorFailure {
  readonly cursor: string | undefined;

  constructor(cursor: string | undefined, evidence: unknown) {
    super({
      code: 'transaction.reconciliation_pending',
      message: 'the provider has not settled the operation yet',
      category: 'temporary',
      retryable: true,
      retryAfterMs: 5000,
      redactedDetails: { reconciliation_cursor: cursor ?? null, evidence: evidence ?? null },
    });
    this.cursor = cursor;
  }
}

/** Asks the capability once. Throws ReconciliationPending, OperationUnsupported, and what the connector throws. */
export async function askProvider(
  { reconcile }: ConnectorCapability,
  lost: LostOperation,
  context: CapabilityContext,
): Promise<{ committed: boolean; output?: unknown; cursor?: string; evidence?: unknown }> {
  if (!reconcile) throw new OperationUnsupported('reconciliation');
  const { terminal, committed = false, ...rest } = await reconcile(lost, context);
  if (!terminal) throw new ReconciliationPending(rest.cursor, rest.evidence);
  return { committed, ...rest };
}

/** What the gateway says about the action whose answer was lost: its id, and what earlier answers gave. */
interface Question {
  action_id?: string;
  cursor?: string;
  provider_operation?: { provider: string; operation_id: string; request_id?: string };
}

function questionOf({ memory_context }: Action): Question {
  const context = plainJson(memory_context) as { _aip?: { reconciliation?: Question } } | undefined;
  return context?._aip?.reconciliation ?? {};
}

/** An action in transaction mode reconcile: completed with what the provider says (docs/protocol/registry.md#unknown-outcome-and-reconciliation). */
export async function reconciled(
  handler: ConnectorCapability,
  context: CapabilityContext,
): Promise<{ reconciliation: object }> {
  const { action } = context;
  const { transaction_id: transactionId } = action.transaction ?? {};
  const { action_id: id = action.id, cursor: asked, provider_operation: providerOperation } = questionOf(action);
  const lost = {
    action: { ...action, id },
    input: action.input,
    ...(transactionId !== undefined && { transactionId }),
    ...(asked !== undefined && { cursor: asked }),
    ...(providerOperation && { providerOperation }),
  };
  const { committed, cursor, evidence } = await askProvider(handler, lost, context);
  return { reconciliation: { terminal: true, committed, cursor: cursor ?? null, evidence: evidence ?? null } };
}
