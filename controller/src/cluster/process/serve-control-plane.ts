import { type HttpServer, listen } from '@aip/runtime/internal/http';
import { openDatabaseClock, type Pool } from '@aip/runtime/internal/postgres';
import type { Logger } from '@aip/runtime/internal/program';
import type { Clock } from '@aip/runtime/internal/protocol';
import { openRegistry } from '@aip/runtime/internal/registry';
import { controlPlaneApp } from '../../control-plane/app.js';
import type { Kube } from '../../kube/kube.js';
import { type ControlIdentitySource, openControlIdentity } from '../../trust/control-identity.js';
import type { TrustSettings } from '../../trust/settings.js';

/** What the signed control plane works with. */
export interface ControlPlaneParts {
  kube: Kube;
  pool: Pool;
  settings: TrustSettings;
  bind: { host: string; port: number };
  leaseTtlMs: number;
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
}

/** Serves the signed control plane once its identity is there, and with each later one. Undefined when the signal aborted before. */
export async function serveControlPlane(parts: ControlPlaneParts): Promise<HttpServer | undefined> {
  const { pool, leaseTtlMs, log, signal } = parts;
  const identity = await identityOf(parts);
  if (!identity) return undefined;
  const databaseClock = openDatabaseClock({ db: pool, clock: parts.clock });
  signal.addEventListener('abort', databaseClock.stop, { once: true });
  const clock = databaseClock.now;
  const registry = openRegistry({ data: pool, clock });
  const key = () => identity.current().key;
  const app = controlPlaneApp({ registry, pool, key, log, clock, leaseTtlMs });
  const server = await listen(app, { ...parts.bind, tls: identity.current().tls });
  identity.onChange(({ key: { did }, tls }) => {
    server.reloadTls(tls);
    log.info({ signer_did: did }, 'the control plane has another identity');
  });
  // One that changed while the server was being started was reported to no listener.
  server.reloadTls(identity.current().tls);
  log.info({ bind: server.url, signer_did: identity.current().key.did }, 'control plane listens');
  return server;
}

async function identityOf({
  kube,
  settings,
  signal,
  log,
}: ControlPlaneParts): Promise<ControlIdentitySource | undefined> {
  const onFailure = (error: Error): void =>
    log.info({ reason: error.message }, 'the control plane waits for its identity');
  try {
    return await openControlIdentity({ kube, signal, onFailure }, settings);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
