import { isDeepStrictEqual } from 'node:util';
import type { Connector, ConnectorHealth } from '../../connectors/sdk/connector.js';
import { isConnectorFailure } from '../../connectors/sdk/failure.js';
import { openFetch } from '../../connectors/sdk/fetch.js';
import type { SecretReader } from '../../connectors/sdk/secrets.js';
import { cutText } from '../../protocol/content/cut-text.js';
import { NamedError } from '../../protocol/errors/named-error.js';
import { MAX_ERROR_TEXT_BYTES } from '../../protocol/limits.js';
import type { TenantRef } from '../../protocol/types.js';
import { withDeadline } from '../../time/deadline.js';
import { openTimer } from '../../time/timer.js';
import type { Logger } from '../../transport/process/logger.js';

/** Last known health of storage and connector; `detail` at most 1024 bytes, without credentials. */
export interface HealthState {
  storage: ConnectorHealth;
  connector: ConnectorHealth;
}

/** While the storage fails it is checked again this often, in milliseconds: the host is back when the storage is, not a heartbeat later. */
const AGAIN_MS = 500;

/** Probes storage and connector; the last results are what the gate and the metrics see. */
export interface HealthMonitor {
  readonly state: Readonly<HealthState>;
  /** Runs both probes, storage first, each within its limit; runs that overlap share one. */
  probe(): Promise<HealthState>;
}

/** What a monitor is made of. `writeProbe` really writes to the host's schema. */
export interface HealthOptions {
  writeProbe: () => Promise<void>;
  connector: Connector;
  config: unknown;
  tenant: TenantRef;
  secret: SecretReader;
  /** Whether no action can run because calls of actions that are over do not end. */
  isHeldUp: () => boolean;
  timeoutMs: number;
  log: Logger;
}

const STORAGE_OK = 'storage answers reads and writes';
const STORAGE_FAILED = 'storage failed a write';
const STORAGE_LATE = 'storage did not answer in time';
const NOT_PROBED: ConnectorHealth = { ready: false, detail: 'not probed yet' };

/** Opens a monitor; nothing is ready before the first probe. */
export function openHealthMonitor(options: HealthOptions): HealthMonitor {
  const { log, timeoutMs } = options;
  let state: HealthState = { storage: NOT_PROBED, connector: NOT_PROBED };
  let running: Promise<HealthState> | undefined;

  const run = async (): Promise<HealthState> => {
    const storage = await storageHealth(options.writeProbe, timeoutMs);
    const connector = await connectorHealth(options, timeoutMs);
    const next = { storage, connector };
    if (!isDeepStrictEqual(next, state)) log.info(next, 'health changed');
    state = next;
    if (!storage.ready) again.start(AGAIN_MS);
    return next;
  };
  const probe = (): Promise<HealthState> => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
  const again = openTimer(probe, { ref: false });

  return {
    get state() {
      return state;
    },
    probe,
  };
}

async function storageHealth(writeProbe: () => Promise<void>, timeoutMs: number): Promise<ConnectorHealth> {
  try {
    await within(timeoutMs, writeProbe);
    return { ready: true, detail: STORAGE_OK };
  } catch (error) {
    return { ready: false, detail: error instanceof ProbeLate ? STORAGE_LATE : STORAGE_FAILED };
  }
}

async function connectorHealth(
  { connector, config, tenant, secret, isHeldUp }: HealthOptions,
  timeoutMs: number,
): Promise<ConnectorHealth> {
  // With nothing pinned to it such a replica would be the first choice for new work, and turn it all away.
  if (isHeldUp()) return { ready: false, detail: 'calls of actions that are over hold every place of the host' };
  if (!connector.health) return { ready: true, detail: 'the connector has no probe' };
  try {
    const { ready, detail } = await within(timeoutMs, (signal) =>
      connector.health?.({
        config,
        tenant,
        secret,
        signal,
        fetch: openFetch({ type: connector.type, signal, headers: {} }),
      }),
    );
    return { ready, detail: cutText(detail, MAX_ERROR_TEXT_BYTES) };
  } catch (error) {
    return { ready: false, detail: cutText(probeProblem(error), MAX_ERROR_TEXT_BYTES) };
  }
}

/** A typed failure says what is wrong; any other one may hold anything and keeps its text to itself. */
function probeProblem(error: unknown): string {
  if (error instanceof ProbeLate) return 'the connector did not answer in time';
  return isConnectorFailure(error) ? error.message : 'the connector probe failed';
}

/** A probe took longer than it may. */
class ProbeLate extends NamedError {}

async function within<T>(timeoutMs: number, probe: (signal: AbortSignal) => T): Promise<NonNullable<Awaited<T>>> {
  const late = withDeadline(undefined, timeoutMs, () => new ProbeLate('late'));
  try {
    const fired = new Promise<never>((_, reject) => {
      late.signal.addEventListener('abort', () => reject(late.signal.reason), { once: true });
    });
    return (await Promise.race([probe(late.signal), fired])) as NonNullable<Awaited<T>>;
  } finally {
    late.clear();
  }
}
