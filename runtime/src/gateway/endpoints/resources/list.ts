import type { Clock } from '../../../protocol/clock.js';
import { MAX_PAGE_BYTES } from '../../../protocol/limits.js';
import type { Resource, ResourceList, ResourceListRequest } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';
import { type CursorBinding, keyCursor, keyOf } from '../../edge/lists/cursors.js';
import { pageRows, withinBytes } from '../../edge/lists/page.js';
import { authorizeQuery } from '../../edge/query-authorization.js';
import { accessRefusal, isExpired } from './access.js';
import type { ResourceSource } from './known.js';

/** What resource queries need. */
export interface ResourceQueryDeps {
  readonly resources: ResourceSource;
  readonly clock: Clock;
}

/**
 * A page of the resources that the caller may read, by id (scope resource:read and the policy of each resource); an
 * expired one does not show. At most 4 MiB. Throws NotAuthorized, `auth.tenant_required`, `auth.tenant_mismatch`, CursorInvalid.
 */
export async function listResources(
  deps: ResourceQueryDeps,
  identity: Identity,
  request: ResourceListRequest,
): Promise<ResourceList> {
  const { cursor, limit, capability_id, kind, tenant_id } = request;
  const now = deps.clock();
  const query = {
    object: 'resource',
    operation: 'read',
    tenantId: tenant_id,
    principalId: identity.principal.id,
  } as const;
  const { tenant } = authorizeQuery(identity, query, now);
  const binding: CursorBinding = { operation: 'resources', identity, filters: { capability_id, kind, tenant_id } };
  const after = cursor === undefined ? undefined : keyOf(binding, cursor);
  const shown = (await deps.resources(tenant))
    .map((each) => each.resource)
    .filter((each) => capability_id === undefined || each.capability_id === capability_id)
    .filter((each) => kind === undefined || each.kind === kind)
    .filter((each) => !isExpired(each, now) && !accessRefusal(identity, each))
    .filter((each) => after === undefined || each.id > after);
  const resources = withinBytes(shown.slice(0, pageRows(limit)), bytesOf, MAX_PAGE_BYTES);
  const last = resources.at(-1);
  return { resources, ...(last && resources.length < shown.length ? { cursor: keyCursor(binding, last.id) } : {}) };
}

function bytesOf(resource: Resource): number {
  return Buffer.byteLength(JSON.stringify(resource));
}
