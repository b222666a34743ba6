import { NamedError } from '@aip/runtime/internal/protocol';
import { openWaker, pollUntil, timed } from '@aip/runtime/internal/time';
import type { DataPaths } from '../state/data-dir.js';
import type { LogFiles } from './log-files.js';
import type { ProcessRecord } from './orphans.js';
import { CONTROLLER_BIN, childEnvironment, RUNTIME_BIN } from './programs.js';
import { type Ending, type Program, type Supervised, supervise } from './supervise.js';

/** How often a service that ended is asked whether it answers again, in ms. */
const AGAIN_MS = 250;
/** How often a service that starts is asked whether it answers, in ms. */
const START_POLL_MS = 30;
/** How long a service may take to answer whether it is ready, in ms. */
const ASK_MS = 2000;

/** What a service needs to know of the fleet. */
export interface ServiceSettings {
  paths: DataPaths;
  env: NodeJS.ProcessEnv;
  databaseUrl: string;
  trustDomain: string;
  gatewayPrincipalId: string;
  gatewayKeyFile: string;
  controlKeyFile: string;
  controlPort: number;
  gatewayPorts: readonly number[];
  principalsFile: string;
  trustedSigners?: string | undefined;
}

/** The control plane as a program. */
export function controlPlaneProgram(settings: ServiceSettings): Program {
  const own = prefixed('AIP_CONNECTOR_CONTROL_', {
    BIND: `127.0.0.1:${settings.controlPort}`,
    DATABASE_URL: settings.databaseUrl,
    SIGNING_SEED_FILE: settings.controlKeyFile,
  });
  return {
    name: 'control-plane',
    command: process.execPath,
    args: [CONTROLLER_BIN, 'control-plane'],
    env: () => childEnvironment(settings.env, 'AIP_CONNECTOR_CONTROL_', own, settings.paths.cache),
  };
}

/** What a gateway under `aip dev` is given unless the environment says otherwise: nothing in front of it has to notice its end. */
const GATEWAY_DEFAULTS = { AIP_GATEWAY_DRAIN_MS: '0', AIP_GATEWAY_NATS_QUEUE_GROUP: 'aip-gateway' };

/** One gateway as a program; all of them share database, key and principals, and the first one's address takes callbacks. */
export function gatewayProgram(settings: ServiceSettings, index: number): Program {
  const name = settings.gatewayPorts.length === 1 ? 'gateway' : `gateway-${index + 1}`;
  const own = prefixed('AIP_GATEWAY_', {
    NAME: name,
    BIND: `127.0.0.1:${settings.gatewayPorts[index]}`,
    SERVICE_ID: settings.gatewayPrincipalId,
    TRUST_DOMAIN: settings.trustDomain,
    POSTGRES_URL: settings.databaseUrl,
    CONNECTOR_REGISTRY_URL: settings.databaseUrl,
    CONNECTOR_FLEET_SIGNING_SEED_FILE: settings.gatewayKeyFile,
    CONNECTOR_FLEET_CALLBACK_URL: `http://127.0.0.1:${settings.gatewayPorts[0]}/aip/v1/connector-callbacks`,
    CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
    CONNECTOR_FLEET_ALLOW_HTTP: 'true',
    CONNECTOR_FLEET_ALLOW_PRIVATE_NETWORKS: 'true',
    PRINCIPALS_FILE: settings.principalsFile,
    ...(settings.trustedSigners ? { TRUSTED_SIGNER_FILE: settings.trustedSigners } : {}),
  });
  return {
    name,
    command: process.execPath,
    args: [RUNTIME_BIN, 'gateway'],
    env: () => childEnvironment(settings.env, 'AIP_GATEWAY_', own, settings.paths.cache, GATEWAY_DEFAULTS),
  };
}

/** A service ended while it was being waited for; the message holds its own last words. */
function serviceFailed(name: string, detail: string, log: string): NamedError {
  return new NamedError(`The ${name} ended while starting: ${detail || 'it said nothing'}. Its log is ${log}.`, {
    name: 'ServiceFailed',
  });
}

/** A supervised service and the URL that answers 200 when it is ready. */
export interface Service {
  process: Supervised;
  /** Waits until it is ready. Fails when it ends twice before. */
  ready(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/** What is reported of a service after it was ready first. */
export interface ServiceEvents {
  /** It ended on its own and is started again; `words` are the last of its log. */
  onEnd(name: string, ending: Ending, words: string): void;
  /** It answers again. */
  onReady(name: string): void;
}

/** Starts a service and keeps it running. */
export async function startService(
  program: Program,
  readyUrl: string,
  options: { logs: LogFiles; record: ProcessRecord } & ServiceEvents,
): Promise<Service> {
  const output = await options.logs.open(program.name);
  let wasReady = false;
  let ended = 0;
  let awaited = false;
  const stopped = new AbortController();
  const isReady = async (): Promise<true | undefined> => ((await answers(readyUrl)) ? true : undefined);
  const awaitAgain = async (): Promise<void> => {
    if (awaited) return;
    awaited = true;
    const { pause } = openWaker({ ref: false });
    await pollUntil(isReady, { signal: stopped.signal, everyMs: () => AGAIN_MS, pauseFirst: true, pause });
    awaited = false;
    if (!stopped.signal.aborted) options.onReady(program.name);
  };
  const supervised = supervise(program, {
    output,
    record: options.record,
    onEnd: (ending) => {
      ended += 1;
      if (!wasReady) return;
      options.onEnd(program.name, ending, options.logs.lastWords(program.name));
      void awaitAgain();
    },
  });
  const stopping = <T>(end: () => T): T => {
    stopped.abort();
    return end();
  };
  return {
    process: {
      ...supervised,
      stop: (signal, graceMs) => stopping(() => supervised.stop(signal, graceMs)),
      kill: () => stopping(supervised.kill),
    },
    ready: async (timeoutMs, signal) => {
      const deadline = Date.now() + timeoutMs;
      const isReadyInTime = async (): Promise<true | undefined> => {
        if (await answers(readyUrl)) {
          wasReady = true;
          return true;
        }
        if (ended < 2 && Date.now() <= deadline) return undefined;
        supervised.kill();
        throw serviceFailed(program.name, options.logs.lastWords(program.name), options.logs.path(program.name));
      };
      await pollUntil(isReadyInTime, { signal, everyMs: () => START_POLL_MS });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return await timed(ASK_MS, async (signal) => {
      const response = await fetch(url, { signal });
      await response.arrayBuffer();
      return response.ok;
    });
  } catch {
    return false;
  }
}

function prefixed(prefix: string, values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
}
