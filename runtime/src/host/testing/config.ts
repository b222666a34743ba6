import { newId } from '../../protocol/ids.js';
import type { HostConfig } from '../config/config.js';

/** Whom a test host belongs to, and where its gateway would take chunks. */
export const TENANT = 'test';
export const CALLBACK = 'https://gateway.test.invalid/aip/v1/connector-callbacks';
export const TRUST_DOMAIN = 'test.invalid';
export const GATEWAY = { id: 'service:gateway', kind: 'service', trust_domain: TRUST_DOMAIN } as const;

/** The part of a host's configuration that its execution reads, under ids of its own. */
export function testHostConfig(): HostConfig {
  return {
    gateway: GATEWAY,
    instanceId: newId('connectorInstance'),
    replicaId: newId('connectorReplica'),
    versionId: newId('connectorVersion'),
    tenant: { id: TENANT },
    trustDomain: TRUST_DOMAIN,
    callback: { url: CALLBACK, allowHttp: false, allowPrivate: false },
    controlTimeoutMs: 5000,
    heartbeatMs: 10_000,
    maxInFlight: 32,
  } as HostConfig;
}
