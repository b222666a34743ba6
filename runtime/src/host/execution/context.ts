import type { CapabilityContext } from '../../connectors/sdk/context.js';
import { openFetch, traceHeaders } from '../../connectors/sdk/fetch.js';
import { plainJson } from '../../protocol/json.js';
import type { ChunkStream } from './chunk-stream.js';
import { documentValueOf } from './document-value.js';
import type { ExecutorOptions } from './executor-options.js';
import { projectedAction, type Work } from './work.js';

/** What changes from one call to the next. */
export interface CallFacts {
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  deadline: number;
  chunks: ChunkStream;
  effectCommitted: (evidence?: unknown) => Promise<void>;
}

/** The trusted context of one connector call: configuration and route, never the payload's own claims. */
export function contextOf(
  options: ExecutorOptions,
  work: Work,
  { signal, deadline, chunks, effectCommitted }: CallFacts,
): CapabilityContext {
  const { config, connectorType, connectorConfig, secret, state, publishEvents } = options;
  const { action, route, gateway } = work;
  const { credential, externalAccount } = config;
  const revision = route.credential_revision_ref;
  const { transaction } = action;
  return {
    config: connectorConfig,
    tenant: config.tenant,
    secret,
    signal,
    fetch: openFetch({ type: connectorType, signal, headers: traceHeaders(action) }),
    action: projectedAction(config, work),
    deadline,
    actor: gateway,
    ...(externalAccount && { externalAccount }),
    ...(credential && {
      credential: {
        id: credential.id,
        issuer: credential.issuer,
        scopes: credential.scopes,
        ...(typeof revision === 'string' && { revision }),
      },
    }),
    ...(action.idempotency_key !== undefined && { idempotencyKey: action.idempotency_key }),
    ...(route.approval_authorization !== undefined && { approval: plainJson(route.approval_authorization) }),
    ...(transaction && {
      transaction: {
        ...(transaction.transaction_id !== undefined && { transactionId: transaction.transaction_id }),
        ...(transaction.plan_id !== undefined && { planId: transaction.plan_id }),
      },
    }),
    checkpoint: { effectCommitted },
    state,
    publishEvents,
    document: (parts) => documentValueOf(parts, action.id, options.documents),
    emit: chunks.emit,
    progress: (fraction, note) =>
      chunks.emit({ kind: 'progress', data: { fraction, ...(note !== undefined && { note }) } }),
  };
}
