import { durableRuntime } from './0001-durable-runtime.js';
import { transactionsCallbacksAudit } from './0002-transactions-callbacks-audit.js';
import { approvalVotes } from './0003-approval-votes.js';
import { sessions } from './0004-sessions.js';
import { documents } from './0005-documents.js';
import { eventIds } from './0006-event-ids.js';
import { approvalSubject } from './0007-approval-subject.js';
import { delegations } from './0008-delegations.js';
import { storageProbe } from './0009-storage-probe.js';
import { actionLists } from './0010-action-lists.js';
import { cursorKey } from './0011-cursor-key.js';
import { delegationsHere } from './0012-delegations-here.js';
import { submittedReceipts } from './0013-submitted-receipts.js';
import { restoredActions } from './0014-restored-actions.js';

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
];
