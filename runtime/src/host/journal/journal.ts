import { groupCommit } from '../../postgres/group-commit.js';
import type { Pool } from '../../postgres/pool.js';
import {
  FIRST_PLACE,
  type Place,
  removalByAge,
  removalByScan,
  removeExpired,
  removeSlice,
  SCANNED_PAGES,
} from '../../postgres/retention/expired-rows.js';
import type { Clock } from '../../protocol/clock.js';
import { storedText } from '../../protocol/content/stored-text.js';
import { parseJson } from '../../protocol/json.js';
import type { ActionResult } from '../../protocol/types.js';
import { type Delivery, openAdmit } from './admit.js';
import { type JournalDurability, MAX_BATCH, RELAXED } from './durability.js';
import { countUnfinished, journalPages } from './unfinished.js';

/** An execution as it was recorded. */
export interface ExecutionRecord {
  capabilityId: string;
  requestDigest: string;
  /** Present when it finished. */
  result?: ActionResult;
  /** Whether the connector reported that the provider took the effect. */
  effectCommitted: boolean;
  evidence?: unknown;
  cursor?: string;
}

/**
 * What the journal says to a delivery: `fresh` means that the intent is recorded now and the connector may be called; `known` that the
 * action was begun by an earlier message; `repeat` that this message was taken before; `forged` that its id was, with other content.
 */
export type Admission = { kind: 'fresh' } | { kind: 'known' | 'repeat'; record: ExecutionRecord } | { kind: 'forged' };

/** Message ids and executions of an instance, durable, shared by its replicas. Everything throws StorageUnavailable. */
export interface Journal {
  /**
   * Claims the message id and records the intent, both or neither, in one commit with others that arrive at the same time. A delivery that
   * changes nothing at a provider (`mutates` false) need not survive a crash of the database.
   */
  admit(delivery: Delivery, mutates: boolean): Promise<Admission>;
  /** Claims the id of a message that executes nothing; false when it was taken before by another message. */
  claim(message: Pick<Delivery, 'messageId' | 'signature' | 'expiresAt'>): Promise<boolean>;
  find(actionId: string): Promise<ExecutionRecord | undefined>;
  /** The same action runs again in this process; what is known of an effect stays known. */
  restart(actionId: string): Promise<void>;
  effect(actionId: string, evidence: unknown): Promise<void>;
  /**
   * Records the result. With relaxed durability a crash of the database may lose it: the action then counts as one that may have begun, and is
   * never run twice where that is unsafe.
   */
  finish(actionId: string, result: ActionResult): Promise<void>;
  /** The provider was asked and has not settled yet; `cursor` goes with the next question. */
  unsettled(actionId: string, cursor: string | undefined): Promise<void>;
  /** Counts executions that began before a time and have no result, as countUnfinished does. */
  unfinished(before: number, counted: (found: number) => void, signal: AbortSignal): Promise<void>;
  /**
   * Removes claims that no copy can be fresh for any more, and finished executions older than `before` in the next slice of the journal: called once a
   * minute, it walks the whole journal in a day at most. In batches until `signal` fires.
   */
  prune(now: number, before: number, signal?: AbortSignal): Promise<void>;
}

/** The claim that a message met. */
const CLAIM_OF = `
SELECT signature FROM replay_claims WHERE message_id = $1 UNION ALL SELECT signature FROM executions WHERE message_id = $1`;

/** Claims one message id, or reports whether the same message holds it. */
const CLAIM = `
INSERT INTO replay_claims (message_id, signature, expires_at)
SELECT $1::text, $2::text, $3::bigint WHERE (SELECT e.started_at FROM executions e WHERE e.message_id = $1) IS NULL
ON CONFLICT (message_id) DO UPDATE SET expires_at = replay_claims.expires_at RETURNING signature`;

/** One execution of the instance; the result as text, so that its numbers stay as they were written. */
const FIND = `
SELECT capability_id, request_digest, state, effect_at, evidence, cursor, result::text AS result
FROM executions WHERE instance_id = $1 AND action_id = $2`;

/** A second run in the place of the first. */
const RESTART = `
UPDATE executions SET state = 'started', replica_id = $3, attempt = attempt + 1, result = NULL, finished_at = NULL
WHERE instance_id = $1 AND action_id = $2`;

/** The provider took the effect; later reports of the same run change nothing but the evidence. */
const EFFECT = `
UPDATE executions SET effect_at = coalesce(effect_at, $3), evidence = $4 WHERE instance_id = $1 AND action_id = $2`;

/** Results of many executions at once. One statement, one commit; touches no index. Without the list of ids every execution of the instance would be read. */
const FINISH = `
UPDATE executions SET state = 'finished', result = f.result::json, finished_at = $4
FROM unnest($2::text[], $3::text[]) AS f(action_id, result)
WHERE executions.instance_id = $1 AND executions.action_id = ANY($2) AND executions.action_id = f.action_id`;

const FINISH_RELAXED = `WITH ${RELAXED}${FINISH.replace('AS f(action_id, result)', 'AS f(action_id, result), relaxed')}`;

/** Where to continue asking the provider. */
const UNSETTLED = 'UPDATE executions SET cursor = $3 WHERE instance_id = $1 AND action_id = $2';

/** Slices in which the journal is walked. */
const SLICES = 1440;

const PRUNE_CLAIMS = removalByAge({ table: 'replay_claims', at: 'expires_at' });
const PRUNE_EXECUTIONS = removalByScan({
  table: 'executions',
  at: 'started_at',
  where: `instance_id = $4 AND state = 'finished'`,
});

/** Opens the journal in the host's own schema. */
export function openJournal({
  pool,
  instanceId,
  replicaId,
  clock,
  durability,
}: {
  pool: Pool;
  instanceId: string;
  replicaId: string;
  clock: Clock;
  durability: JournalDurability;
}): Journal {
  const isRelaxed = durability === 'relaxed';
  /** Where the next slice of pruning begins; undefined: at the start of the journal. */
  let place: Place | undefined;
  const admitted = openAdmit({ pool, instanceId, replicaId, clock }, durability);
  const finished = groupCommit({
    pool,
    name: 'host.finish',
    maxBatch: MAX_BATCH,
    single: () => true,
    run: async (client, items: readonly { actionId: string; result: string }[]) => {
      await client.query({
        name: isRelaxed ? 'host_finish_relaxed' : 'host_finish',
        text: isRelaxed ? FINISH_RELAXED : FINISH,
        values: [instanceId, items.map((item) => item.actionId), items.map((item) => item.result), clock()],
      });
      return items.map(() => undefined);
    },
  });
  const find = async (actionId: string): Promise<ExecutionRecord | undefined> => {
    const { rows } = await pool.query<ExecutionRow>({ name: 'host_find', text: FIND, values: [instanceId, actionId] });
    return rows[0] && recordOf(rows[0]);
  };

  return {
    find,
    admit: async (delivery, mutates) => {
      const { claimed, begun } = await admitted(delivery, mutates);
      if (begun) return { kind: 'fresh' };
      if (!claimed) {
        const { rows } = await pool.query<{ signature: string }>({ text: CLAIM_OF, values: [delivery.messageId] });
        if (rows[0]?.signature !== delivery.signature) return { kind: 'forged' };
      }
      const record = await find(delivery.actionId);
      if (!record) return { kind: 'forged' };
      return { kind: claimed ? 'known' : 'repeat', record };
    },
    claim: async ({ messageId, signature, expiresAt }) => {
      const { rows } = await pool.query<{ signature: string }>({
        name: 'host_claim',
        text: CLAIM,
        values: [messageId, signature, expiresAt],
      });
      return rows[0]?.signature === signature;
    },
    restart: async (actionId) => {
      await pool.query({ text: RESTART, values: [instanceId, actionId, replicaId] });
    },
    effect: async (actionId, evidence) => {
      const json = evidence === undefined ? null : JSON.stringify(evidence);
      await pool.query({ name: 'host_effect', text: EFFECT, values: [instanceId, actionId, clock(), json] });
    },
    finish: async (actionId, result) => {
      await finished({ actionId, result: JSON.stringify(result) });
    },
    unsettled: async (actionId, cursor) => {
      await pool.query({ text: UNSETTLED, values: [instanceId, actionId, storedText(cursor) ?? null] });
    },
    unfinished: (before, counted, signal) => countUnfinished({ pool, instanceId, before }, counted, signal),
    prune: async (now, before, signal) => {
      await removeExpired(pool, { text: PRUNE_CLAIMS, before: now }, signal);
      const removal = { text: PRUNE_EXECUTIONS, before, start: FIRST_PLACE, values: [instanceId] };
      const slice = { from: place, pages: await pagesOfSlice(pool), reached: (next?: Place) => (place = next) };
      await removeSlice(pool, removal, slice, signal);
    },
  };
}

/** As many pages as walk the whole journal in a day, a slice a minute; at least those of one batch. */
async function pagesOfSlice(pool: Pool): Promise<number> {
  return Math.max(SCANNED_PAGES, Math.ceil((await journalPages(pool)) / SLICES));
}

interface ExecutionRow {
  capability_id: string;
  request_digest: string;
  state: string;
  effect_at: number | null;
  evidence: unknown;
  cursor: string | null;
  result: string | null;
}

function recordOf(row: ExecutionRow): ExecutionRecord {
  return {
    capabilityId: row.capability_id,
    requestDigest: row.request_digest,
    effectCommitted: row.effect_at !== null,
    ...(row.evidence !== null && { evidence: row.evidence }),
    ...(row.cursor !== null && { cursor: row.cursor }),
    ...(row.state === 'finished' && row.result !== null && { result: parseJson(row.result) as ActionResult }),
  };
}
