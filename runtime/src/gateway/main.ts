import { type Clock, systemClock } from '../protocol/clock.js';
import type { HttpServer } from '../transport/http/server.js';
import { type Logger, openLogger } from '../transport/process/logger.js';
import { onShutdown, type ShutdownStep } from '../transport/process/shutdown.js';
import { failStart } from '../transport/process/startup.js';
import { startTelemetry, TELEMETRY_STOP_MS } from '../transport/telemetry/telemetry.js';
import { type GatewayConfig, readConfig } from './config.js';
import { type GatewayContext, openContext, SERVICE } from './start/context.js';
import { type Serving, serve } from './start/serve.js';
import { type GatewayWork, openWork } from './start/work.js';
import { stopSteps } from './stop-steps.js';

/**
 * Runs the central server until it is asked to stop: reads the environment (prefix AIP_GATEWAY_), brings the database up
 * to date, starts the worker and the maintenance and listens. A start that must not continue leaves one JSON line on
 * standard error and exit code 1.
 */
export async function runGateway(source: Readonly<Record<string, string | undefined>>): Promise<void> {
  try {
    const config = readConfig(source);
    const log = openLogger({ component: SERVICE, level: config.logLevel });
    const stopTelemetry = await startTelemetry(source, SERVICE, log);
    const gateway = await startGateway(config, log, systemClock);
    const telemetry = { name: 'telemetry', boundMs: TELEMETRY_STOP_MS + 500, run: stopTelemetry };
    onShutdown({ steps: [...gateway.stopSteps, telemetry], log });
    log.info(
      { address: gateway.server.url, service_id: config.principal.id, fleet: config.fleet !== undefined },
      'gateway is listening',
    );
  } catch (error) {
    failStart(error, 'aip.server.gateway');
  }
}

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
      webSocket.close();
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
