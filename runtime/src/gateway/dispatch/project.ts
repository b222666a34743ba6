import { AipError, NotAuthorized } from '../../protocol/errors.js';
import type { Action, ConnectorRoute, Principal } from '../../protocol/types.js';
import { NATIVE_HTTP_PROFILE } from '../../protocol/wire/native-http.js';
import { callbackRouteOf } from '../../protocol/wire/routes.js';
import type { RouteAssignment } from '../../registry/routes/assignment.js';

/** An action to be run by a connector host. */
export interface RemoteWork {
  readonly action: Action;
  /** The tenant that the gateway verified. */
  readonly tenantId: string;
  /** How the action runs for its client. */
  readonly originalMode: 'sync' | 'async' | 'streaming';
  readonly sessionId?: string | undefined;
  /** The terminal approval record, when the gateway verified one. */
  readonly approvalAuthorization?: unknown;
  /** The largest document that its result may name, in bytes. */
  readonly maxDocumentBytes?: number | undefined;
  /** The action was dispatched before; the registry reports whether that may have begun its work. */
  readonly again?: boolean | undefined;
  /**
   * The contract of the capability permits another attempt of work that may have begun, also of a host that would begin
   * it a second time.
   */
  readonly repeatable?: boolean | undefined;
  /** Until when its caller waits for the host of an idle instance, in ms since the epoch; absent: it does not. */
  readonly wakeBy?: number | undefined;
}

/**
 * The route object of an action: the pinned assignment as it was made, the verified tenant, the mode that the client
 * stated (null when it stated none), and the approval record only when there is one (docs/protocol/host.md#pinned-route).
 */
export function connectorRoute(work: RemoteWork, assignment: RouteAssignment): ConnectorRoute {
  const { action, originalMode, approvalAuthorization } = work;
  return {
    ...pinnedRoute(assignment),
    original_mode: action.mode === undefined ? null : originalMode,
    ...(approvalAuthorization === undefined ? {} : { approval_authorization: approvalAuthorization }),
  };
}

/** The route object of a cancellation: the same pins, no mode, no approval. */
export function cancelRoute(assignment: RouteAssignment): ConnectorRoute {
  return { ...pinnedRoute(assignment), original_mode: null };
}

/**
 * The action as its host gets it (docs/protocol/registry.md#what-is-sent): the verified tenant in its identity, async as sync, and of callbacks
 * only the central one, which a streaming action gets; the client's own never leaves. Throws `auth.tenant_mismatch` for a
 * claimed tenant that is another one and NotAuthorized when streaming has nowhere to come back to: no `callbackUrl`.
 */
export function projectAction(work: RemoteWork, route: ConnectorRoute, callbackUrl: string | undefined): Action {
  const { callback: _, ...action } = work.action;
  const projected: Action = { ...action, identity: { ...action.identity, tenant: tenantOf(work) } };
  if (action.mode === 'async') return { ...projected, mode: 'sync' };
  if (action.mode !== 'streaming') return projected;
  if (callbackUrl === undefined)
    throw new NotAuthorized('this server has no callback address, so connector hosts cannot stream');
  const metadata = { connector_callback: callbackRouteOf(route) };
  return { ...projected, callback: { profile: NATIVE_HTTP_PROFILE, target: callbackUrl, metadata } };
}

/** A projected action with the gateway as it signs this message: whom chunks are to be addressed to. */
export function withRecipient(action: Action, recipient: Principal): Action {
  const { callback } = action;
  if (!callback) return action;
  const metadata = { ...(callback.metadata as object), connector_callback_recipient: recipient };
  return { ...action, callback: { ...callback, metadata } };
}

function tenantOf({ action, tenantId }: RemoteWork): NonNullable<NonNullable<Action['identity']>['tenant']> {
  const claimed = action.identity?.tenant;
  if (claimed === undefined) return { id: tenantId };
  if (claimed.id !== tenantId)
    throw new AipError('auth.tenant_mismatch', 'the action names another tenant than the verified one');
  return claimed;
}

function pinnedRoute(assignment: RouteAssignment): ConnectorRoute {
  return {
    action_id: assignment.actionId,
    capability_id: assignment.capabilityId,
    tenant_id: assignment.tenantId,
    instance_id: assignment.instanceId,
    replica_id: assignment.replicaId,
    version_id: assignment.versionId,
    manifest_digest: assignment.manifestDigest,
    catalog_revision: assignment.catalogRevision,
    binding_policy_revision: assignment.bindingPolicyRevision,
    credential_revision_ref: assignment.credentialRevisionRef,
    quota_policy_ref: assignment.quotaPolicyRef,
    replica_health_revision: assignment.replicaHealthRevision,
    fence_token: assignment.fenceToken,
  };
}

/** The size by which the scheduler bounds an action. */
export function bytesOf(action: Action): number {
  return Buffer.byteLength(JSON.stringify(action));
}
