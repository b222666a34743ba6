import { newId } from '../../protocol/ids.js';
import type { Action, ConnectorRoute, Principal } from '../../protocol/types.js';
import { NATIVE_HTTP_PROFILE } from '../../protocol/wire/native-http.js';
import { callbackRouteOf } from '../../protocol/wire/routes.js';
import type { HostConfig } from '../config/config.js';
import { approved } from './approval.js';
import { CALLBACK, TENANT } from './config.js';

/** How an action is requested. */
export interface RunOptions {
  mode?: 'sync' | 'async' | 'streaming';
  /** The same id again is the same action: it is answered from the journal. Default: a new one. */
  id?: string;
  idempotencyKey?: string;
  timeoutMs?: number;
  transaction?: Action['transaction'];
  /** Whether somebody approved the action; default: where the capability demands it. */
  approved?: boolean;
}

/** What every action of a test host is sent with. */
export interface Sender {
  readonly config: HostConfig;
  readonly manifestDigest: string;
  /** The gateway, with its DID. */
  readonly gateway: Principal;
  readonly nowMs: number;
}

/** An action as a gateway would send it to the host, with the `security` of its envelope. */
export function testAction(
  capabilityId: string,
  input: unknown,
  { mode, id = newId('action'), idempotencyKey, timeoutMs, transaction, approved: isApproved }: RunOptions,
  { config, manifestDigest, gateway, nowMs }: Sender,
): { action: Action; security: { connector_route: ConnectorRoute } } {
  const route = routeOf(id, capabilityId, config, manifestDigest, mode);
  const plain: Action = {
    id,
    capability_id: capabilityId,
    input,
    identity: { tenant: { id: TENANT } },
    // A gateway sends an async action as a sync one.
    ...(mode !== undefined && { mode: mode === 'async' ? 'sync' : mode }),
    ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    ...(transaction && { transaction }),
    ...(mode === 'streaming' && { callback: callbackOf(route, gateway) }),
  };
  if (!isApproved) return { action: plain, security: { connector_route: route } };
  const { action, record } = approved(plain, TENANT, nowMs);
  return { action, security: { connector_route: { ...route, approval_authorization: record } } };
}

function routeOf(
  actionId: string,
  capabilityId: string,
  { instanceId, replicaId, versionId }: HostConfig,
  manifestDigest: string,
  mode: RunOptions['mode'],
): ConnectorRoute {
  return {
    action_id: actionId,
    capability_id: capabilityId,
    tenant_id: TENANT,
    instance_id: instanceId,
    replica_id: replicaId,
    version_id: versionId,
    manifest_digest: manifestDigest,
    catalog_revision: 1,
    binding_policy_revision: 1,
    replica_health_revision: 1,
    fence_token: 'fence:test',
    original_mode: mode ?? null,
  };
}

function callbackOf(route: ConnectorRoute, recipient: Principal): Action['callback'] {
  const metadata = { connector_callback: callbackRouteOf(route), connector_callback_recipient: recipient };
  return { profile: NATIVE_HTTP_PROFILE, target: CALLBACK, metadata };
}
