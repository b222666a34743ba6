import { startEmbedded } from '@aip/runtime/internal/embedded';
import { ensureOwnedDatabase, openPool, overSocket } from '@aip/runtime/internal/postgres';
import { pollUntil, within } from '@aip/runtime/internal/time';
import { identityOf } from '../../fleet/process-identity.js';
import type { ProcessRecord } from './orphans.js';

/** First and greatest pause before the server is started again, in ms. */
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5000;
/** Most time of a statement on a server that has just started. */
const CONNECT_MS = 30_000;
/** Why the server itself cannot run; other lines are about its clients. */
const GRAVE = /\b(?:PANIC|FATAL): +could not .+$/;

/** The embedded PostgreSQL, started again on the same port when it ends. */
export interface Database {
  /** Over TCP, for other programs of the machine. */
  url: string;
  /** For the fleet's own programs: over the server's socket, where it has one. */
  fleetUrl: string;
  port: number;
  /** Fast shutdown within `graceMs`, then SIGKILL. */
  stop(graceMs: number): Promise<void>;
  kill(): void;
}

/** Database and role of the fleet in an embedded server. */
const OWN = 'aip';

/** The URL of the fleet's database: a plain role that owns its database, as in an installation. A data folder of an earlier release keeps its superuser. */
async function ownUrl(superuserUrl: string): Promise<string> {
  const pool = openPool({ url: superuserUrl, max: 1, acquireTimeoutMs: CONNECT_MS, statementTimeoutMs: CONNECT_MS });
  try {
    const { rows } = await pool.query<{ earlier: boolean }>(
      `SELECT to_regnamespace('registry') IS NOT NULL AS earlier`,
    );
    if (rows[0]?.earlier) return superuserUrl;
  } finally {
    await pool.close();
  }
  const password = decodeURIComponent(new URL(superuserUrl).password);
  return ensureOwnedDatabase(superuserUrl, { database: OWN, owner: OWN, password });
}

/** Starts the embedded PostgreSQL of a data folder and keeps it running. */
export async function startDatabase(options: {
  dataDir: string;
  log: (line: string) => void;
  /** It ended and is started again in `restartMs`; `words` say why, when it did. */
  onEnd: (restartMs: number, words: string) => void;
  /** It answers again. */
  onReady: () => void;
  record: ProcessRecord;
}): Promise<Database> {
  let words = '';
  const log = (line: string): void => {
    words = GRAVE.exec(line)?.[0] ?? words;
    options.log(line);
  };
  const open = (port: number): ReturnType<typeof startEmbedded> =>
    startEmbedded({ dataDir: options.dataDir, port, log });
  let server = await open(0);
  const { port } = server;
  options.record.set('postgres', await identityOf(server.pid));
  const url = await ownUrl(server.url).catch(async (error: unknown) => {
    await server.stop();
    options.record.set('postgres', undefined);
    throw error;
  });
  const stopping = new AbortController();

  /** Ends only when the server is to stay down; by then none runs that this function has started. */
  const keepRunning = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      await server.ended;
      if (stopping.signal.aborted) break;
      const opened = async (): Promise<true> => {
        server = await open(port);
        options.record.set('postgres', await identityOf(server.pid));
        failures = 0;
        options.onReady();
        return true;
      };
      await pollUntil(opened, {
        signal: stopping.signal,
        pauseFirst: true,
        everyMs: () => {
          const restartMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
          options.onEnd(restartMs, words);
          words = '';
          return restartMs;
        },
        failed: (error) => {
          failures += 1;
          options.log(`start failed: ${error instanceof Error ? error.message : String(error)}`);
        },
      });
    }
    await server.stop();
  };
  const kept = keepRunning();
  return {
    url,
    fleetUrl: server.socketFolder === undefined ? url : overSocket(url, server.socketFolder),
    port,
    stop: async (graceMs) => {
      stopping.abort();
      const stopped = Promise.all([server.stop(), kept]);
      await within(graceMs, stopped, () => server.kill('SIGKILL'));
      await stopped;
      options.record.set('postgres', undefined);
    },
    kill: () => {
      stopping.abort();
      server.kill('SIGKILL');
    },
  };
}
