import { cutText } from '../../../protocol/content/cut-text.js';
import { shortDuration } from '../../../protocol/content/duration.js';
import { formatTime } from '../../../protocol/time.js';
import type { Worker } from '../../actions/execute/worker.js';
import type { StorageState } from './storage-probe.js';

/** Of an error text that is shown. */
const MAX_DETAIL_BYTES = 1024;

/** The body of GET /ready (docs/protocol/client-api.md#metrics). Fleet maintenance is shown and does not count. */
export interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly gateway: {
    readonly ready: boolean;
    readonly storage: StorageState;
    /** How far this process's clock is ahead of the database's; `detail` says what to do when that is too much. */
    readonly clock: { readonly ready: boolean; readonly skew_ms: number; readonly detail?: string };
    readonly connectors: Record<string, never>;
  };
  readonly supervisor: {
    readonly runtime_worker_running: boolean;
    readonly nats_listener_running: boolean;
    readonly nats_required: boolean;
    readonly worker_cycles: number;
    readonly last_worker_error?: string;
    readonly last_worker_success_at?: string;
  };
  readonly modules: Record<string, never>;
  readonly fleet?: unknown;
}

/** Builds the readiness check: the storage takes writes, the clock is right, the worker runs, and the server is not stopping. */
export function readinessOf(deps: {
  storage: () => Promise<StorageState>;
  worker: Worker;
  stopping: () => boolean;
  clock: { readonly skewMs: () => number; readonly maxSkewMs: number };
  fleet?: (() => Promise<unknown>) | undefined;
  /** The broker listener, where one is configured: without it the gateway is not ready. */
  broker?: { up(): boolean } | undefined;
}): () => Promise<Readiness> {
  return async () => {
    const [storage, fleet] = await Promise.all([deps.storage(), deps.fleet?.()]);
    const worker = deps.worker.status();
    const brokerUp = deps.broker?.up();
    const clock = clockOf(deps.clock);
    const gatewayReady = storage.ready && clock.ready && !deps.stopping();
    return {
      status: gatewayReady && worker.running && brokerUp !== false ? 'ready' : 'not_ready',
      gateway: { ready: gatewayReady, storage, clock, connectors: {} },
      supervisor: {
        runtime_worker_running: worker.running,
        nats_listener_running: brokerUp ?? false,
        nats_required: brokerUp !== undefined,
        worker_cycles: worker.cycles,
        ...(worker.lastError === undefined ? {} : { last_worker_error: cutText(worker.lastError, MAX_DETAIL_BYTES) }),
        ...(worker.lastSuccessAt === undefined ? {} : { last_worker_success_at: formatTime(worker.lastSuccessAt) }),
      },
      modules: {},
      ...(fleet === undefined ? {} : { fleet }),
    };
  };
}

function clockOf({ skewMs, maxSkewMs }: { skewMs: () => number; maxSkewMs: number }): Readiness['gateway']['clock'] {
  const skew = Math.round(skewMs());
  if (Math.abs(skew) <= maxSkewMs) return { ready: true, skew_ms: skew };
  const where = skew > 0 ? 'ahead of' : 'behind';
  const detail = `the clock of the gateway is ${shortDuration(Math.abs(skew))} ${where} the database's; synchronize both machines`;
  return { ready: false, skew_ms: skew, detail };
}
