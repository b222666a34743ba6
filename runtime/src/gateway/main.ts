import { type Clock, systemClock } from '../protocol/clock.js';
import type { HttpServer } from '../transport/http/server.js';
import type { Logger } from '../transport/process/logger.js';
import type { ShutdownStep } from '../transport/process/shutdown.js';
import type { Program } from '../transport/program.js';
import { type GatewayConfig, readConfig } from './config.js';
import { type GatewayContext, openContext, SERVICE } from './start/context.js';
import { type Serving, serve } from './start/serve.js';
import { type GatewayWork, openWork } from './start/work.js';
import { stopSteps } from './stop-steps.js';

/** The central server: it brings the database up to date, starts the worker and the maintenance and listens (prefix AIP_GATEWAY_). */
export const GATEWAY: Program<GatewayConfig> = {
  component: SERVICE,
  failureCode: () => 'aip.server.gateway',
  read: readConfig,
  log: ({ logLevel }) => ({ level: logLevel }),
  start: async (config, { log, stopBy }) => {
    const gateway = await startGateway(config, log, systemClock);
    stopBy(gateway.stopSteps);
    log.info(
      { address: gateway.server.url, service_id: config.principal.id, fleet: config.fleet !== undefined },
      'gateway is listening',
    );
  },
};

/** A gateway that listens. */
export interface RunningGateway {
  readonly server: HttpServer;
  /** What ends it, in order. */
  readonly stopSteps: readonly ShutdownStep[];
}

/** Starts every part of a gateway in order: storage, fleet, actions, maintenance, HTTP. Throws what a part refuses. */
export async function startGateway(config: GatewayConfig, log: Logger, ownClock: Clock): Promise<RunningGateway> {
  const context = await openContext(config, log, ownClock);
  const work = await openWork(context);
  const serving = await serve(context, work);
  return { server: serving.server, stopSteps: stopStepsOf(context, work, serving) };
}

function stopStepsOf(context: GatewayContext, work: GatewayWork, serving: Serving): ShutdownStep[] {
  const { broker, webSocket } = serving;
  return stopSteps({
    drainMs: context.config.drainMs,
    server: serving.server,
    refuse: serving.refuse,
    endFollowers: async () => {
      broker?.drain();
      await work.tail.close();
      await webSocket.close();
    },
    endActions: async (graceMs) => {
      await Promise.all([work.actions.stop(graceMs), broker?.close(graceMs)]);
    },
    endPasses: work.endPasses,
    close: async () => {
      serving.close();
      context.key?.close();
      context.databaseClock.stop();
      await context.pool.close();
    },
  });
}
