import {
  controlPlaneProgram,
  gatewayProgram,
  type Service,
  type ServiceSettings,
  startService,
} from '../process/services.js';
import type { RunStage } from '../stages.js';
import type { FleetData } from './data.js';

const READY_TIMEOUT_MS = 60_000;

/** The control plane and the gateways of a run. */
export interface FleetPrograms {
  /** Resolves when all of them answer; each kind is a stage of the start. */
  ready(stage: RunStage, signal: AbortSignal): Promise<unknown>;
  /** Ends them in order, within `ms` each. */
  stop(ms: number): Promise<void>;
  kill(): void;
}

/** Starts the programs; one that ends is started again and reported. */
export async function startPrograms(
  settings: ServiceSettings,
  { logs, record, reports }: FleetData,
): Promise<FleetPrograms> {
  const service = { logs, record, onEnd: reports.ended, onReady: reports.ready };
  const services: Service[] = [];
  const kill = (): void => {
    for (const { process } of services) process.kill();
  };
  const start = async (program: Parameters<typeof startService>[0], port: number): Promise<Service> => {
    const started = await startService(program, `http://127.0.0.1:${port}/ready`, service);
    services.push(started);
    return started;
  };
  try {
    const control = await start(controlPlaneProgram(settings), settings.controlPort);
    const gateways: Service[] = [];
    for (const [index, port] of settings.gatewayPorts.entries())
      gateways.push(await start(gatewayProgram(settings, index), port));
    return {
      ready: (stage, signal) =>
        Promise.all([
          stage('gateway', 'starting the gateway', () =>
            Promise.all(gateways.map((gateway) => gateway.ready(READY_TIMEOUT_MS, signal))),
          ),
          stage('control plane', 'starting the control plane', () => control.ready(READY_TIMEOUT_MS, signal)),
        ]),
      stop: async (ms) => {
        await Promise.all(services.map(({ process }) => process.stop('SIGTERM', ms)));
      },
      kill,
    };
  } catch (error) {
    kill();
    throw error;
  }
}
