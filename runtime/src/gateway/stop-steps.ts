import { waited } from '../time/wait.js';
import type { HttpServer } from '../transport/http/server.js';
import type { ShutdownStep } from '../transport/process/shutdown.js';

/** Open work may continue at least and at most so many milliseconds after the gateway stopped to accept. */
const MIN_FINISH_MS = 500;
const MAX_FINISH_MS = 10_000;

/** The parts of a gateway that have to end. */
export interface Stoppable {
  /** How long the gateway still accepts after it said that it is not ready, in milliseconds. */
  readonly drainMs: number;
  readonly server: HttpServer;
  /** From here on the gateway is not ready, and asks whoever calls to come back over another connection. */
  refuse(): void;
  /** Has followers reconnect from their last event id. */
  endFollowers(): Promise<void>;
  /** Ends the actions: those that are left after `graceMs` are given to other gateways. */
  endActions(graceMs: number): Promise<void>;
  /** Ends maintenance and the connections to the fleet. */
  endPasses(): Promise<void>;
  close(): Promise<void>;
}

/**
 * How a gateway ends: it says that it is not ready and continues to serve while load balancers notice; only then its followers are asked to
 * reconnect, so that they come out elsewhere; it stops to accept, what is open ends, and everything is closed. All steps together take at
 * most `drainMs` and 22 seconds.
 */
export function stopSteps(gateway: Stoppable): ShutdownStep[] {
  const { drainMs, server } = gateway;
  const finishMs = Math.min(Math.max(drainMs, MIN_FINISH_MS), MAX_FINISH_MS);
  return [
    { name: 'readiness', boundMs: 1000, run: gateway.refuse },
    { name: 'notice of load balancers', boundMs: drainMs + 1000, run: async () => void (await waited(drainMs)) },
    { name: 'followers', boundMs: 2000, run: gateway.endFollowers },
    {
      name: 'requests and work',
      boundMs: finishMs + 2000,
      run: async () => void (await Promise.all([server.close(finishMs), gateway.endActions(finishMs)])),
    },
    { name: 'passes and fleet', boundMs: 4000, run: gateway.endPasses },
    { name: 'storage', boundMs: 2000, run: gateway.close },
  ];
}
