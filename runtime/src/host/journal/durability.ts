/** Whether every write of the journal waits for the disk (`strict`), or only those without which an effect could happen twice (`relaxed`). */
export type JournalDurability = 'relaxed' | 'strict';

/** The commit of the statement that reads this does not wait for the disk. */
export const RELAXED = `relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))`;

/** Deliveries or results that one commit takes at most. */
export const MAX_BATCH = 256;
