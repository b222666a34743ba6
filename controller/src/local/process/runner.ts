import type { LogFiles } from './log-files.js';
import type { ProcessRecord } from './orphans.js';
import { RUNTIME_BIN } from './programs.js';
import { type Ending, type Supervised, supervise } from './supervise.js';

/** Beyond its drain time a host may take this long to go offline and exit, in ms. */
const EXIT_GRACE_MS = 10_000;

/** Host processes by replica key: started, kept running, asked to drain. */
export interface HostRunner {
  state(key: string): 'absent' | 'running' | 'stopping';
  /** When a host that drains is killed, in ms since the epoch; undefined while it does not drain. */
  endsAt(key: string): number | undefined;
  /** Starts a host and starts it again whenever it ends. */
  start(key: string, environment: () => NodeJS.ProcessEnv): Promise<void>;
  /** SIGTERM: the host drains, finishes pinned work, goes offline and exits; SIGKILL after `timeoutMs` and a grace. Returns at once. */
  drain(key: string, timeoutMs: number): void;
  /** SIGTERM to all; SIGKILL after `graceMs`. `ended` is called for each with how long it took, in ms. */
  stopAll(graceMs: number, ended: (key: string, ms: number) => void): Promise<void>;
  killAll(): void;
}

/** Runs hosts as child processes. `onEnd` is called for every end, `changed` whenever a state may have changed. */
export function openHostRunner(options: {
  logs: LogFiles;
  record: ProcessRecord;
  onEnd(key: string, ending: Ending): void;
  changed(): void;
}): HostRunner {
  const hosts = new Map<string, Supervised>();
  /** Hosts that drain, with the time at which they are killed. */
  const stopping = new Map<string, number>();
  /** A pass that is under way when the fleet stops starts no host any more: nobody would end it. */
  let isClosed = false;
  return {
    state: (key) => (stopping.has(key) ? 'stopping' : hosts.has(key) ? 'running' : 'absent'),
    endsAt: (key) => stopping.get(key),
    start: async (key, environment) => {
      if (isClosed || hosts.has(key)) return;
      const name = `host-${key.replace('/', '.')}`;
      const output = await options.logs.open(name);
      if (isClosed || hosts.has(key)) return;
      hosts.set(
        key,
        supervise(
          { name, command: process.execPath, args: [RUNTIME_BIN, 'host'], env: environment },
          {
            output,
            record: options.record,
            onEnd: (ending) => {
              options.onEnd(key, ending);
              options.changed();
            },
          },
        ),
      );
    },
    drain: (key, timeoutMs) => {
      const host = hosts.get(key);
      if (!host || stopping.has(key)) return;
      stopping.set(key, Date.now() + timeoutMs + EXIT_GRACE_MS);
      void host.stop('SIGTERM', timeoutMs + EXIT_GRACE_MS).then(() => {
        hosts.delete(key);
        stopping.delete(key);
        options.changed();
      });
    },
    stopAll: async (graceMs, ended) => {
      isClosed = true;
      const begun = performance.now();
      await Promise.all(
        [...hosts].map(async ([key, host]) => {
          stopping.set(key, Date.now() + graceMs);
          await host.stop('SIGTERM', graceMs);
          ended(key, performance.now() - begun);
        }),
      );
    },
    killAll: () => {
      isClosed = true;
      for (const host of hosts.values()) host.kill();
    },
  };
}
