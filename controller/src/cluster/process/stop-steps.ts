import type { HttpServer } from '@aip/runtime/internal/http';
import type { ShutdownStep } from '@aip/runtime/internal/program';
import type { ControllerParts } from './open.js';

/** How long open answers of the control plane may take to end, in ms. */
const DRAIN_MS = 3000;
/** How long the leader's work and the lease may take to end, in ms. */
const LEADER_STOP_MS = 8000;

/** How a controller ends: it stops to serve hosts, ends the leader's work and gives the lease back, and closes what it has open. */
export function stopSteps(parts: ControllerParts, admin: HttpServer): ShutdownStep[] {
  const { pool, controlPool, kube, leaseKube, events, state, stopping } = parts;
  return [
    { name: 'http', run: () => state.control?.close(DRAIN_MS), boundMs: DRAIN_MS + 500 },
    {
      name: 'leader',
      run: async () => {
        stopping.abort();
        await state.election?.ended;
      },
      boundMs: LEADER_STOP_MS,
    },
    { name: 'admin', run: () => admin.close(0), boundMs: 1000 },
    {
      name: 'database',
      run: async () => {
        await Promise.all([pool.close(), controlPool.close()]);
      },
      boundMs: 1000,
    },
    { name: 'events', run: () => events.flush(), boundMs: 1000 },
    {
      name: 'api server',
      run: async () => {
        await Promise.all([kube.close(), leaseKube.close()]);
      },
      boundMs: 1000,
    },
  ];
}
