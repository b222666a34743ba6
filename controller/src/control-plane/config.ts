import type { TlsFiles } from '@aip/runtime/internal/http';
import { connectionOf, type DatabaseAddress } from '@aip/runtime/internal/postgres';
import {
  databaseOf,
  env,
  type FileSetting,
  isLoopbackHost,
  parseBind,
  serverTlsOf,
  signingKeyOf,
} from '@aip/runtime/internal/program';
import {
  ACQUIRE_TIMEOUT_MS,
  LEASE_TTL_MS,
  MAX_ACQUIRE_TIMEOUT_MS,
  MAX_LEASE_TTL_MS,
  MIN_LEASE_TTL_MS,
} from '@aip/runtime/internal/protocol';
import type { SigningKey } from '@aip/runtime/internal/signing';

const PREFIX = 'AIP_CONNECTOR_CONTROL_';
const MAX_CONNECTIONS = 16;

/** Settings of a control plane process (docs/protocol/control-plane.md#process); times in milliseconds. */
export interface ControlPlaneConfig {
  readonly bind: { host: string; port: number };
  readonly tls?: FileSetting<TlsFiles> | undefined;
  readonly database: FileSetting<DatabaseAddress>;
  readonly key: FileSetting<SigningKey>;
  readonly leaseTtlMs: number;
  readonly maxConnections: number;
  readonly acquireTimeoutMs: number;
}

/** Reads the variables AIP_CONNECTOR_CONTROL_*; throws StartupRefused that names the variable and what to change. */
export function readControlPlaneConfig(source: NodeJS.ProcessEnv): ControlPlaneConfig {
  const read = env(PREFIX, source, 'aip_connector_control_plane.failed');
  const bind = parseBind(read.text('BIND') ?? '127.0.0.1:8090');
  if (!bind) throw read.refuse('BIND', 'must be host:port, for example 127.0.0.1:8090');
  const tls = serverTlsOf(read);
  if (!isLoopbackHost(bind.host) && tls === undefined && !read.bool('ALLOW_PROXY_NETWORK_BIND'))
    throw read.refuse('BIND', 'is not loopback: serve TLS, or set ALLOW_PROXY_NETWORK_BIND when TLS ends in front');
  return {
    bind,
    tls,
    database: read.required(
      'DATABASE_URL',
      databaseOf(read, { url: 'DATABASE_URL', ca: 'DATABASE_CA_FILE' }, connectionOf),
    ),
    key: signingKeyOf(read, 'SIGNING_SEED_FILE'),
    leaseTtlMs: read.int('LEASE_TTL_MS', LEASE_TTL_MS, { min: MIN_LEASE_TTL_MS, max: MAX_LEASE_TTL_MS }),
    maxConnections: read.int('MAX_CONNECTIONS', MAX_CONNECTIONS, { min: 1, max: 256 }),
    acquireTimeoutMs: read.int('ACQUIRE_TIMEOUT_MS', ACQUIRE_TIMEOUT_MS, { min: 1, max: MAX_ACQUIRE_TIMEOUT_MS }),
  };
}
