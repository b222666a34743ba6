import { durableRuntime } from './steps/0001-durable-runtime.js';
import { transactionsCallbacksAudit } from './steps/0002-transactions-callbacks-audit.js';
import { approvalVotes } from './steps/0003-approval-votes.js';
import { sessions } from './steps/0004-sessions.js';
import { documents } from './steps/0005-documents.js';
import { eventIds } from './steps/0006-event-ids.js';
import { approvalSubject } from './steps/0007-approval-subject.js';
import { delegations } from './steps/0008-delegations.js';
import { storageProbe } from './steps/0009-storage-probe.js';
import { actionLists } from './steps/0010-action-lists.js';
import { cursorKey } from './steps/0011-cursor-key.js';
import { delegationsHere } from './steps/0012-delegations-here.js';
import { submittedReceipts } from './steps/0013-submitted-receipts.js';
import { restoredActions } from './steps/0014-restored-actions.js';
import { delegatedChunks } from './steps/0015-delegated-chunks.js';
import { batchSettlements } from './steps/0016-batch-settlements.js';
import { actionIds } from './steps/0017-action-ids.js';
import { receiptsOfActions } from './steps/0018-receipts-of-actions.js';
import { approvalIds } from './steps/0019-approval-ids.js';
import { delegationIds } from './steps/0020-delegation-ids.js';
import { fairClaims } from './steps/0021-fair-claims.js';
import { tenantStock } from './steps/0022-tenant-stock.js';
import { removalOrder } from './steps/0023-removal-order.js';
import { submittedAuditAge } from './steps/0024-submitted-audit-age.js';
import { fewerTimes } from './steps/0025-fewer-times.js';
import { refusedAudit } from './steps/0026-refused-audit.js';
import { fairDelegations } from './steps/0027-fair-delegations.js';
import { endsWithoutIndexes } from './steps/0028-ends-without-indexes.js';
import { auditOfResults } from './steps/0029-audit-of-results.js';
import { endsOfActions } from './steps/0030-ends-of-actions.js';
import { oneAuditOrder } from './steps/0031-one-audit-order.js';
import { keptPages } from './steps/0032-kept-pages.js';

/** The database schema that every gateway of a deployment shares. */
export const RUNTIME_SCHEMA = 'runtime';

/** Every migration of schema `runtime`, in order. An applied one never changes: a further file is added instead. */
export const runtimeMigrations = [
  durableRuntime,
  transactionsCallbacksAudit,
  approvalVotes,
  sessions,
  documents,
  eventIds,
  approvalSubject,
  delegations,
  storageProbe,
  actionLists,
  cursorKey,
  delegationsHere,
  submittedReceipts,
  restoredActions,
  delegatedChunks,
  batchSettlements,
  actionIds,
  receiptsOfActions,
  approvalIds,
  delegationIds,
  fairClaims,
  tenantStock,
  removalOrder,
  submittedAuditAge,
  fewerTimes,
  refusedAudit,
  fairDelegations,
  endsWithoutIndexes,
  auditOfResults,
  endsOfActions,
  oneAuditOrder,
  keptPages,
];
