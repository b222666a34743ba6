import type { DocumentStore } from '../postgres/documents.js';
import type { Clock } from '../protocol/clock.js';
import { pollLoop } from '../time/wait.js';
import type { Logger } from '../transport/process/logger.js';
import type { EventLog } from './event-log/event-log.js';
import type { Journal } from './journal/journal.js';
import type { Outbox } from './outbox/outbox.js';

const EVERY_MS = 60_000;
/** Executions stay a week and up to a day, so that a late repeat is still answered from the journal. */
const KEEP_MS = 7 * 86_400_000;
/** Documents stay an hour: a gateway fetches them with the result. */
const KEEP_DOCUMENTS_MS = 3_600_000;
/** Events that were put aside stay for 30 days, as the log of events does by default. */
const KEEP_PARKED_MS = 30 * 86_400_000;
/** Events of webhook deliveries stay as long: a delivery that comes again meets the event it became. */
const KEEP_EVENTS_MS = 30 * 86_400_000;

/**
 * Removes message ids and executions that no client can request any more, and events that were put aside long ago, now and once a minute until
 * `signal` fires; never rejects.
 */
export async function keepPruned(
  {
    journal,
    outbox,
    events,
    documents,
    clock,
    log,
  }: {
    journal: Journal;
    outbox: Outbox;
    events: EventLog;
    documents: DocumentStore;
    clock: Clock;
    log: Logger;
  },
  signal: AbortSignal,
  everyMs = EVERY_MS,
): Promise<void> {
  const prune = async (): Promise<void> => {
    await journal
      .prune(clock(), clock() - KEEP_MS, signal)
      .catch((error) => log.warn({ code: error.code }, 'pruning the journal failed'));
    await documents
      .prune(clock() - KEEP_DOCUMENTS_MS, signal)
      .catch((error) => log.warn({ code: error.code }, 'the documents were not pruned'));
    await events
      .prune(clock() - KEEP_EVENTS_MS, signal)
      .catch((error) => log.warn({ code: error.code }, 'pruning the event log failed'));
    await outbox.prune(clock() - KEEP_PARKED_MS).then(
      (batches) => batches > 0 && log.error({ batches }, 'events that were put aside 30 days ago were removed'),
      (error) => log.warn({ code: error.code }, 'pruning the outbox failed'),
    );
  };
  await pollLoop(prune, { signal, everyMs: () => everyMs });
}
