import { canonicalJson } from '../../../protocol/canonical.js';
import { sha256Hex } from '../../../protocol/digest.js';
import { newEnvelope } from '../../../protocol/envelope.js';
import { AipError, RemoteError, ReplicaUnavailable } from '../../../protocol/errors.js';
import { newId } from '../../../protocol/ids.js';
import type {
  Action,
  ActionResult,
  MessagePart,
  Resource,
  ResourceReadRequest,
  ResourceReadResult,
} from '../../../protocol/types.js';
import type { Registry } from '../../../registry/registry.js';
import type { SubmitAction } from '../../actions/accept/submit.js';
import type { CapabilityLookup } from '../../actions/capabilities/capabilities.js';
import type { Identity } from '../../edge/identity.js';
import { authorizeQuery } from '../../edge/query-authorization.js';
import type { RequestContext } from '../../edge/request-context.js';
import { accessRefusal, isExpired } from './access.js';
import type { KnownResource } from './known.js';
import type { ResourceQueryDeps } from './list.js';
import { accepts, mediaTypeOf, partMediaType } from './media.js';

/** What reading needs beside the list. */
export interface ResourceReadDeps extends ResourceQueryDeps {
  readonly submit: SubmitAction;
  readonly capabilities: CapabilityLookup;
  /** Where the action of a read was sent; absent without a fleet. */
  readonly routes?: Pick<Registry['routes'], 'find'> | undefined;
}

/**
 * Reads one resource (scope resource:read and the resource's own policy). One of a connector is read by one sync action
 * on its capability, with the empty input and under the reader's own rights; one of this server's manifest has its
 * description as content. `version` must be a version that the resource has now, `accept` must admit its media type.
 * Throws `resource.not_found`, `resource.gone`, `resource.not_acceptable`, NotAuthorized, `auth.tenant_required`, `auth.tenant_mismatch` and what
 * the action ends with.
 */
export async function readResource(
  deps: ResourceReadDeps,
  identity: Identity,
  request: ResourceReadRequest,
  context: RequestContext,
): Promise<ResourceReadResult> {
  const { resource_id: id, tenant_id: tenantId, version, accept } = request;
  const now = deps.clock();
  const query = { object: 'resource', operation: 'read', tenantId, principalId: identity.principal.id } as const;
  const { tenant } = authorizeQuery(identity, query, now);
  const known = (await deps.resources(tenant)).find((each) => each.resource.id === id);
  if (!known) throw new AipError('resource.not_found', 'no such resource', { details: { resource_id: id } });
  const { resource } = known;
  const refusal = accessRefusal(identity, resource);
  if (refusal) throw refusal;
  if (isExpired(resource, now)) throw new AipError('resource.gone', undefined, { details: { resource_id: id } });
  if (version !== undefined && !known.versions?.has(version))
    throw new AipError('resource.not_found', 'the resource does not have this version', {
      details: { resource_id: id, version },
    });
  if (!accepts(accept, mediaTypeOf(resource))) throw notAcceptable(resource, [mediaTypeOf(resource)]);
  const content = await contentOf(deps, identity, known, version, context);
  const offered = content.map((part) => partMediaType(part, resource));
  const accepted = content.filter((_, index) => accepts(accept, offered[index] as string));
  if (content.length > 0 && accepted.length === 0) throw notAcceptable(resource, offered);
  const { expires_at } = resource;
  return {
    resource,
    ...(accepted.length > 0 && { content: accepted }),
    etag: `sha256:${sha256Hex(canonicalJson({ resource, content: accepted }))}`,
    ...(expires_at !== undefined && { expires_at }),
  };
}

function notAcceptable(resource: Resource, offered: readonly string[]): AipError {
  return new AipError('resource.not_acceptable', undefined, {
    details: { resource_id: resource.id, media_types: [...new Set(offered)] },
  });
}

async function contentOf(
  deps: ResourceReadDeps,
  identity: Identity,
  { resource, capabilityId, versions }: KnownResource,
  version: string | undefined,
  context: RequestContext,
): Promise<MessagePart[]> {
  if (capabilityId === undefined) {
    const { id, name, kind, description, mime_type } = resource;
    return [{ type: 'json', data: { id, name, kind, description, mime_type } }];
  }
  // The action runs in the reader's own tenant, which has to be the one whose resource it is.
  const { tenantId } = identity;
  if (tenantId === undefined || resource.tenant_id !== tenantId)
    throw new AipError('auth.tenant_mismatch', 'the content of a connector is read by members of its tenant alone');
  const action: Action = {
    id: newId('action'),
    capability_id: capabilityId,
    input: {},
    mode: 'sync',
    ...((await needsKey(deps, identity, capabilityId)) && { idempotency_key: newId('message') }),
  };
  const { id, kind } = identity.principal;
  const envelope = newEnvelope({ action }, { from: { id, kind } }, { clock: deps.clock });
  const reply = await deps.submit(identity, envelope, action, context, { keepsRoute: version !== undefined });
  const parts = partsOf('action_result' in reply ? reply.action_result : undefined);
  if (version !== undefined) {
    const assigned = await deps.routes?.find({ actionId: action.id, tenantId });
    if (!assigned || !versions?.get(version)?.has(assigned.versionId))
      throw new ReplicaUnavailable('another version answered; it is being rolled out');
  }
  return parts;
}

async function needsKey(deps: ResourceReadDeps, identity: Identity, capabilityId: string): Promise<boolean> {
  const { capability } = await deps.capabilities.get(identity.tenantId ?? null, capabilityId);
  return capability.contract?.idempotency.requirement === 'required';
}

/** The content that an action gave: its message parts, else its output as JSON. */
function partsOf(result: ActionResult | undefined): MessagePart[] {
  if (result?.error) throw new RemoteError(result.error);
  if (result?.status === 'pending_approval')
    throw new AipError('policy.human_approval_required', 'reading the resource needs an approval', {
      details: { action_id: result.action_id },
    });
  if (result?.status !== 'completed') throw new AipError('runtime.handler_failed', 'the resource gave no content');
  if (result.message !== undefined && result.message.length > 0) return result.message;
  return result.output === undefined ? [] : [{ type: 'json', data: result.output }];
}
