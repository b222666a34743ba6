import type { Pool } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import { within } from '../../../time/deadline.js';

/** How long the storage may take to answer the probe, in milliseconds. */
const PROBE_MS = 2000;
/** How long an answer is given again, in milliseconds: GET /ready takes no token, and each probe is a commit. */
const KEEP_MS = 500;

/** A write that succeeds only when the schema is there and the database takes commits. */
const WRITE = `
INSERT INTO runtime.gateway_probe (gateway_id, written_at) VALUES ($1, $2)
ON CONFLICT (gateway_id) DO UPDATE SET written_at = excluded.written_at`;

/** What the database refuses a write or a connection with, by SQLSTATE, and what an operator does about it. */
const REFUSALS: Readonly<Record<string, string>> = {
  '25006': 'the database is read-only: connect the gateway to its primary',
  '53100': 'the disk of the database is full: free space or enlarge its volume',
  '53300':
    'the database has no connection left: raise its max_connections or lower AIP_GATEWAY_POSTGRES_MAX_CONNECTIONS',
};

/** Whether the storage can be written, and with what in `detail`. */
export interface StorageState {
  readonly ready: boolean;
  readonly detail: string;
}

/** Builds the storage probe of a gateway. Callers that come together or within half a second share one write. */
export function storageProbe(deps: { pool: Pool; gatewayId: string; clock: Clock }): () => Promise<StorageState> {
  let current: { readonly state: Promise<StorageState>; endedAt?: number } | undefined;
  return () => {
    if (current && (current.endedAt === undefined || performance.now() - current.endedAt < KEEP_MS))
      return current.state;
    const probed: typeof current = { state: probe(deps) };
    current = probed;
    return probed.state.finally(() => {
      probed.endedAt = performance.now();
    });
  };
}

async function probe({ pool, gatewayId, clock }: Parameters<typeof storageProbe>[0]): Promise<StorageState> {
  const written = pool.query({ name: 'runtime.probe', text: WRITE, values: [gatewayId, clock()] }).then(
    () => ({ ready: true, detail: 'postgres' }),
    (error: unknown) => ({ ready: false, detail: refusalOf(error) }),
  );
  return within(PROBE_MS, written, () => ({ ready: false, detail: lateDetail(pool) }));
}

function lateDetail(pool: Pool): string {
  if (pool.idle() > 0 || pool.size() < pool.max) return 'the storage did not answer in time';
  return `all ${pool.max} database connections of the gateway are in use: raise AIP_GATEWAY_POSTGRES_MAX_CONNECTIONS or add gateways`;
}

/** Fixed texts alone: whoever reaches the port may read them. */
function refusalOf(error: unknown): string {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return REFUSALS[cause?.code ?? ''] ?? REFUSALS[code ?? ''] ?? 'the storage cannot be written';
}
