import { pollUntil } from '../time/wait.js';
import type { HttpServer } from '../transport/http/server.js';
import type { ShutdownStep } from '../transport/process/shutdown.js';
import { arrivalMs } from './arrival.js';
import type { Background } from './background.js';
import type { HostConfig } from './config/config.js';
import type { RunningActions } from './execution/running.js';
import type { LeaseKeeper } from './lease/keeper.js';
import type { HostLife } from './lifecycle.js';
import { awaitPinnedWork, beginDrain, type PinnedWork } from './pinned-work.js';
import type { Peers } from './start/peers.js';
import type { Storage } from './start/storage.js';

/** Open answers may take this long after the last action ended, in milliseconds. */
const CLOSE_MS = 2000;
/** How often running actions are counted while pinned work ends. */
const POLL_MS = 10;

/** The parts of a host that must end. */
export interface Stoppable {
  config: HostConfig;
  keeper: LeaseKeeper;
  running: RunningActions;
  server: HttpServer;
  background: Background;
  storage: Pick<Storage, 'pool'>;
  peers: Pick<Peers, 'close'>;
  /** Time of the monotonic clock since when the server listens, in milliseconds. */
  listeningSince: number;
  life: Pick<HostLife, 'enter'>;
}

/**
 * Drain, let pinned work finish, stop listening, give the lease back, close (docs/protocol/host.md#drain). Every step runs, whatever the earlier ones did.
 * New actions are refused only once the registry assigns none any more and those it assigned before have ended, or at least come.
 */
export function stopSteps(host: Stoppable): ShutdownStep[] {
  const { config, keeper, running, server, background, storage, peers, life } = host;
  const work: PinnedWork = {
    drain: keeper.drain,
    inFlight: running.inFlight,
    arrivalMs: () => arrivalMs(config.publicEndpoint, performance.now() - host.listeningSince),
    timeoutMs: config.drainTimeoutMs,
  };
  let pinned: number | undefined;
  /** Work that was waited for and work that runs have the drain timeout together. */
  let over = Number.POSITIVE_INFINITY;
  const commandMs = 2 * config.controlTimeoutMs + 1000;
  return [
    {
      name: 'drain command',
      boundMs: Math.min(commandMs, config.drainTimeoutMs),
      run: async () => {
        pinned = await beginDrain(work);
      },
    },
    {
      name: 'pinned work',
      boundMs: config.drainTimeoutMs + 1000,
      run: () => {
        over = performance.now() + config.drainTimeoutMs;
        return awaitPinnedWork(pinned, work);
      },
    },
    { name: 'refuse new actions', boundMs: 1000, run: () => life.enter('drain') },
    {
      name: 'finish pinned work',
      boundMs: config.drainTimeoutMs,
      run: async () => {
        const ended = async (): Promise<true | undefined> => {
          if (running.inFlight() === 0) return true;
          if (performance.now() > over) throw new Error('actions still run at the end of the drain timeout');
          return undefined;
        };
        await pollUntil(ended, { signal: background.signal, everyMs: () => POLL_MS });
      },
    },
    {
      name: 'end background work',
      boundMs: commandMs,
      run: background.end,
    },
    { name: 'stop listening', boundMs: CLOSE_MS + 1000, run: () => server.close(CLOSE_MS) },
    { name: 'offline command', boundMs: commandMs, run: keeper.offline },
    {
      name: 'close connections',
      boundMs: 3000,
      run: async () => {
        await peers.close();
        await storage.pool.close();
        life.enter('stop');
      },
    },
  ];
}
