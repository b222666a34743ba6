import { join } from 'node:path';
import { shortDuration } from '@aip/runtime/internal/duration';
import { type Database, startDatabase } from '../process/database.js';
import type { FleetCoordinates } from '../process/host-environment.js';
import { freePorts, loopbackPort } from '../process/ports.js';
import type { ServiceSettings } from '../process/services.js';
import type { RunStage } from '../stages.js';
import type { DataPaths } from '../state/data-dir.js';
import { ensureKey } from '../state/keys.js';
import type { FleetData } from './data.js';
import type { FleetOptions } from './options.js';

const DEFAULT_TRUST_DOMAIN = 'dev.local';

/** The trust domain of a run. */
export function trustDomainOf(env: NodeJS.ProcessEnv): string {
  return env.AIP_GATEWAY_TRUST_DOMAIN ?? DEFAULT_TRUST_DOMAIN;
}

/** The keys and ports of a run; each port is free now. */
export interface Addresses {
  readonly controlKey: { path: string; did: string };
  readonly gatewayKey: { path: string; did: string };
  readonly controlPort: number;
  readonly firstGatewayPort: number;
}

/** Makes the keys where they are missing and chooses ports. Fails when a named port is in use. */
export async function chooseAddresses(paths: DataPaths, options: FleetOptions): Promise<Addresses> {
  const { env } = options;
  const [controlKey, gatewayKey, controlPort, firstGatewayPort] = await Promise.all([
    ensureKey(env.AIP_CONNECTOR_CONTROL_SIGNING_SEED_FILE ?? join(paths.keys, 'control-plane.seed')),
    ensureKey(env.AIP_GATEWAY_CONNECTOR_FLEET_SIGNING_SEED_FILE ?? join(paths.keys, 'gateway.seed')),
    loopbackPort(options.controlPort, '--control-port'),
    loopbackPort(options.gatewayPort, '--gateway-port'),
  ]);
  return { controlKey, gatewayKey, controlPort, firstGatewayPort };
}

/** Starts the database of a run. */
export async function startDatabaseOf(
  paths: DataPaths,
  { logs, record, reports }: FleetData,
  stage: RunStage,
): Promise<Database> {
  const log = await logs.open('postgres');
  return stage('PostgreSQL', 'starting PostgreSQL', () =>
    startDatabase({
      dataDir: paths.postgres,
      record,
      log: (line) => log.write(`${line}\n`),
      onEnd: (restartMs, words) => {
        const why = words && `: ${words}`;
        reports.say('PostgreSQL', `PostgreSQL ended${why}; it is started again in ${shortDuration(restartMs)}`, words);
      },
      onReady: () => reports.ready('PostgreSQL'),
    }),
  );
}

/** What programs and hosts of a run know of each other. */
export async function coordinatesOf(
  paths: DataPaths,
  options: FleetOptions,
  { controlKey, gatewayKey, controlPort, firstGatewayPort }: Addresses,
  databaseUrl: string,
): Promise<{ fleet: FleetCoordinates; settings: ServiceSettings }> {
  const { env } = options;
  const trustDomain = trustDomainOf(env);
  const morePorts = await freePorts(options.gateways - 1, new Set([controlPort, firstGatewayPort]));
  const gatewayPrincipalId = env.AIP_GATEWAY_SERVICE_ID ?? 'service:aip-gateway';
  const fleet: FleetCoordinates = {
    trustDomain,
    controlUrl: `http://127.0.0.1:${controlPort}/aip/v1/connector-control`,
    controlDid: controlKey.did,
    gatewayUrl: `http://127.0.0.1:${firstGatewayPort}`,
    gatewayDid: gatewayKey.did,
    gatewayPrincipalId,
  };
  const settings: ServiceSettings = {
    paths,
    env,
    databaseUrl,
    trustDomain,
    gatewayPrincipalId,
    gatewayKeyFile: gatewayKey.path,
    controlKeyFile: controlKey.path,
    controlPort,
    gatewayPorts: [firstGatewayPort, ...morePorts],
    principalsFile: env.AIP_GATEWAY_PRINCIPALS_FILE ?? paths.principals,
    trustedSigners: options.trustedSigners,
  };
  return { fleet, settings };
}
