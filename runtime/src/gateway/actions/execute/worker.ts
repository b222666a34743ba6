import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Pool } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import { openWaker, pollLoop, pollUntil } from '../../../time/wait.js';
import { type RunningLimits, runningByTenant } from '../../claims/running-by-tenant.js';
import { cancelledBy, LATE_LEASE, WORK_CHANNEL } from '../record/work-channel.js';
import { type ClaimedAction, claimDue, nextDue } from './claim.js';
import type { Executor } from './execute.js';
import { type LapsedLeases, openLapsedLeases } from './lapsed-leases.js';
import { LEASE_MS, type LeaseKeeper } from './lease-keeper.js';
import { openPredecessors, type WorkerName, workerIdOf } from './predecessors.js';

/** Claims in one poll, and the pause after a poll that found work or could not take what is due (docs/protocol/actions.md#worker). */
const CLAIMS_PER_POLL = 64;
const POLL_MS = 250;
/** Longest pause without a wake: a notification may be lost, and a gateway that ended wakes nobody. */
const IDLE_MS = 10_000;
/** Queued actions that one process runs at the same time, and the bytes of their requests. */
const MAX_RUNNING: RunningLimits = { actions: 256, bytes: 64 * 1024 * 1024 };
/** Pause after a poll that failed. */
const FAILED_POLL_MS = 1000;

/** How the worker is, for readiness and metrics. */
export interface WorkerStatus {
  readonly running: boolean;
  readonly cycles: number;
  readonly claimed: number;
  readonly lastError?: string;
  readonly lastSuccessAt?: number;
}

/** The part of a gateway that executes queued actions and takes over executions whose process is gone. */
export interface Worker {
  readonly workerId: string;
  /** Says that there is work now. */
  wake(): void;
  status(): WorkerStatus;
  /** Called after every poll, with how many actions it claimed. */
  onPoll(listener: (claimed: number) => void): void;
  /**
   * Claims no more and waits at most `graceMs` for what runs here, inline actions included.
   */
  stop(graceMs: number): Promise<void>;
}

/** Starts a worker. Several workers share one queue: each due action goes to exactly one of them. */
export function startWorker(deps: {
  pool: Pool;
  clock: Clock;
  log: Logger;
  own: WorkerName;
  executor: Executor;
  keeper: LeaseKeeper;
  maxRunning?: RunningLimits | undefined;
}): Worker {
  const { pool, clock, log, own, keeper } = deps;
  const workerId = workerIdOf(own);
  const predecessors = openPredecessors(pool, own, clock, log);
  const running = runningByTenant(deps.maxRunning ?? MAX_RUNNING, CLAIMS_PER_POLL);
  const leases = openLapsedLeases(pool, log);
  const listeners: ((claimed: number) => void)[] = [];
  const status = { running: true, cycles: 0, claimed: 0 } as { -readonly [K in keyof WorkerStatus]: WorkerStatus[K] };
  const stopping = new AbortController();
  const waker = openWaker();
  const { wake } = waker;

  const start = ({ requestBytes, ...record }: ClaimedAction): void => {
    const ended = running.begin(record.tenant_id ?? '', requestBytes);
    void deps.executor
      .run(record, workerId)
      .catch(() => undefined)
      .finally(() => {
        const wasFull = running.isFull();
        ended();
        if (wasFull) wake();
      });
  };
  /** Claims what is due; returns how many actions that were. */
  const claim = async (): Promise<number> => {
    const bounds = running.bounds();
    if (bounds.limit === 0) return 0;
    const leaseId = randomUUID();
    const nowMs = clock();
    const lapsedAfter = await leases.after(nowMs);
    const claimed = await claimDue(pool, { nowMs, lapsedAfter, workerId, leaseId, leaseMs: LEASE_MS, ...bounds });
    for (const record of claimed) start(record);
    const claimedBytes = claimed.reduce((sum, { requestBytes }) => sum + requestBytes, 0);
    const isCut = claimed.length === bounds.limit || claimedBytes >= bounds.bytes;
    if (!isCut) leases.noneLeft(nowMs);
    if (isCut && running.bounds().limit > 0) wake();
    return claimed.length;
  };
  /** Whether there is work, as far as is known: a wake reported some, or the last poll found some. */
  let expected = true;
  let pauseMs = FAILED_POLL_MS;
  const poll = async (): Promise<void> => {
    pauseMs = FAILED_POLL_MS;
    waker.forget();
    if (predecessors.left()) await predecessors.end();
    // A claim costs more than the time of the next action, which is all that an idle worker reads.
    const due = expected ? undefined : await nextWork(pool, leases, clock());
    const claimed = due === undefined || isDue(due, clock()) ? await claim() : 0;
    status.cycles += 1;
    status.claimed += claimed;
    status.running = true;
    status.lastSuccessAt = clock();
    for (const listener of listeners) listener(claimed);
    expected = claimed > 0 || predecessors.left() || waker.woken();
    pauseMs = expected ? POLL_MS : pauseUntil(due === undefined ? await nextWork(pool, leases, clock()) : due, clock());
  };
  const unobserve = pool.observe(WORK_CHANNEL, wake);
  const polling = pollLoop(poll, {
    signal: stopping.signal,
    everyMs: () => pauseMs,
    pause: async (ms, signal) => {
      expected = (await waker.pause(ms, signal)) || expected;
    },
    failed: (error) => {
      status.running = false;
      status.lastError = error instanceof Error ? error.message : String(error);
      log.warn({ err: error }, 'the worker could not claim');
    },
  });
  const listening = pool.listen(WORK_CHANNEL, (payload) => {
    if (payload === LATE_LEASE) leases.again();
    const action = cancelledBy(payload ?? '');
    if (action === undefined) wake();
    else keeper.cancel(action);
  });

  return {
    workerId,
    wake,
    status: () => status,
    onPoll: (listener) => listeners.push(listener),
    stop: async (graceMs) => {
      stopping.abort();
      unobserve();
      await polling;
      await endListening(listening);
      await whenEmpty(keeper, graceMs);
      status.running = false;
      if (keeper.size() > 0) log.warn({ left: keeper.size() }, 'executions are left to another worker');
    },
  };
}

async function endListening(listening: Promise<() => Promise<void>>): Promise<void> {
  const end = await listening.catch(() => undefined);
  await end?.();
}

/** When there may be work next; leases of ended actions that were found lapsed are not read again. */
async function nextWork(pool: Pool, leases: LapsedLeases, nowMs: number): Promise<number | null> {
  const at = await nextDue(pool, { nowMs, lapsedAfter: await leases.after(nowMs) });
  if (!isDue(at, nowMs)) leases.noneLeft(nowMs);
  return at;
}

function isDue(at: number | null, nowMs: number): boolean {
  return at !== null && at <= nowMs;
}

function pauseUntil(at: number | null, nowMs: number): number {
  return at === null ? IDLE_MS : Math.max(POLL_MS, Math.min(at - nowMs, IDLE_MS));
}

const EMPTIED_POLL_MS = 20;

/** Waits until no execution holds a lease here, at most `graceMs`. */
async function whenEmpty(keeper: LeaseKeeper, graceMs: number): Promise<void> {
  const emptied = async (): Promise<true | undefined> => keeper.size() === 0 || undefined;
  await pollUntil(emptied, { longestMs: graceMs, everyMs: () => EMPTIED_POLL_MS });
}
