import { createRequire } from 'node:module';

/** The liveness payload (docs/protocol/client-api.md#metrics): the process answers. `uptime_ms` in milliseconds. */
export interface Liveness {
  readonly status: 'ok';
  readonly protocol: 'AIP';
  readonly version: '1.0';
  readonly service: string;
  readonly uptime_ms: number;
  /** Version of this software. */
  readonly software_version: string;
}

const { version: SOFTWARE_VERSION } = createRequire(import.meta.url)('../../../../package.json') as { version: string };

/** Makes the payload of a process that began `startedAt` (ms of performance.now()). */
export function livenessOf(service: string, startedAt: number): Liveness {
  return {
    status: 'ok',
    protocol: 'AIP',
    version: '1.0',
    service,
    uptime_ms: Math.floor(performance.now() - startedAt),
    software_version: SOFTWARE_VERSION,
  };
}
