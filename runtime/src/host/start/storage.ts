import { type DocumentStore, openDocumentStore } from '../../postgres/documents.js';
import type { Pool } from '../../postgres/pool.js';
import type { Principal } from '../../protocol/types.js';
import { followSetting } from '../../transport/settings/live-setting.js';
import { openHostDatabase } from '../database.js';
import { type EventLog, openEventLog } from '../event-log/event-log.js';
import type { Recovery } from '../health/readiness.js';
import { type Journal, openJournal } from '../journal/journal.js';
import { type Outbox, openOutbox } from '../outbox/outbox.js';
import type { HostContext } from './context.js';

/** The durable parts of a host. */
export interface Storage {
  readonly pool: Pool;
  readonly journal: Journal;
  readonly documents: DocumentStore;
  readonly outbox: Outbox;
  readonly events: EventLog;
  /** What a former process of this replica left behind. */
  recovery(): Recovery;
  /** Counts the executions that it left without a result, until `signal` fires; never rejects. */
  countQueued(signal: AbortSignal): Promise<void>;
}

/** Opens the host's database and what it keeps there. Throws StartupRefused and AipErrors. */
export async function openStorage({ config, clock, log }: HostContext, principal: Principal): Promise<Storage> {
  const { instanceId, replicaId, versionId } = config;
  const database = followSetting(config.database, { what: 'database address', log });
  const pool = await openHostDatabase(database.current, config.databaseConnections, log);
  const journal = openJournal({ pool, instanceId, replicaId, clock, durability: config.journalDurability });
  const publisher = { principal, tenantId: config.tenant.id, instanceId, replicaId, versionId };
  const outbox = openOutbox({ pool, publisher, clock });
  const recovery = {
    recoveredAt: clock(),
    queuedResults: 0,
    callbackDeliveries: (await outbox.counts()).pending,
  };
  const counted = (found: number): void => {
    recovery.queuedResults = found;
  };
  return {
    pool,
    journal,
    documents: openDocumentStore({ pool, prefix: '', clock }),
    outbox,
    events: openEventLog({ pool, instanceId, clock }),
    recovery: () => recovery,
    countQueued: (signal) =>
      journal.unfinished(recovery.recoveredAt, counted, signal).catch((error) => {
        if (!signal.aborted) log.warn({ code: error.code }, 'counting the unfinished executions failed');
      }),
  };
}
