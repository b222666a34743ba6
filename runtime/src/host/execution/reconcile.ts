import type { Connector, ConnectorResult, ReconcileInput } from '../../connectors/sdk/connector.js';
import type { ExecutionContext } from '../../connectors/sdk/context.js';
import { ConnectorFailure, OperationUnsupported } from '../../connectors/sdk/failure.js';
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

/** Asks the connector once. Throws ReconciliationPending, OperationUnsupported, and what the connector throws. */
export async function askProvider(
  connector: Connector,
  input: ReconcileInput,
  context: ExecutionContext<unknown>,
): Promise<{ committed: boolean; output?: unknown; cursor?: string; evidence?: unknown }> {
  if (!connector.reconcile) throw new OperationUnsupported('reconciliation');
  const { terminal, committed = false, ...rest } = await connector.reconcile(input, context);
  if (!terminal) throw new ReconciliationPending(rest.cursor, rest.evidence);
  return { committed, ...rest };
}

/** An action in transaction mode reconcile: completed with what the provider says (docs/protocol/registry.md#unknown-outcome-and-reconciliation). */
export async function reconciled(
  connector: Connector,
  action: Action,
  context: ExecutionContext<unknown>,
): Promise<ConnectorResult> {
  const { transaction_id: transactionId } = action.transaction ?? {};
  const input = { action, ...(transactionId !== undefined && { transactionId }) };
  const { committed, cursor, evidence } = await askProvider(connector, input, context);
  return {
    output: {
      reconciliation: { terminal: true, committed, cursor: cursor ?? null, evidence: evidence ?? null },
    },
  };
}
