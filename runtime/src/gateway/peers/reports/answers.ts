import type { Pool } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import type { Bodies, Body } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';
import type { ChunkSink } from '../../ingress/chunks/sink.js';
import type { StockLimits } from '../../records/stock/limits.js';
import type { Delegations } from '../delegations/open.js';
import { type ResultReportDeps, reportResult } from './action-result.js';
import { submitSettlement } from './batch-settlement.js';
import { submitReceiptChain } from './receipt-chain.js';
import { reportChunk } from './stream-chunk.js';

/** What taking the reports of peers needs. */
export interface ReportDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly results: ResultReportDeps;
  readonly chunks: ChunkSink;
  readonly delegations: Delegations;
  readonly stock: StockLimits;
}

/** The bodies by which a peer reports on an action or hands in its receipts. */
export const REPORT_ANSWERS = {
  action_result: async (deps: ReportDeps, identity: Identity, body: Bodies['action_result']): Promise<Body> => ({
    event_stream: { events: await reportResult(deps.results, identity, body) },
  }),

  stream_chunk: async (deps: ReportDeps, identity: Identity, body: Bodies['stream_chunk']): Promise<Body> => ({
    event_stream: { events: await reportChunk(deps, identity, body) },
  }),

  receipt_chain: async (deps: ReportDeps, identity: Identity, body: Bodies['receipt_chain']): Promise<Body> => ({
    receipt_chain: await submitReceiptChain(deps, identity, body),
  }),

  batch_settlement: async (deps: ReportDeps, identity: Identity, body: Bodies['batch_settlement']): Promise<Body> => ({
    batch_settlement: await submitSettlement(deps, identity, body),
  }),
};
