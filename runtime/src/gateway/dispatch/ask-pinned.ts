import { aipErrorOf, outcomeUnknown, StorageUnavailable } from '../../protocol/errors.js';
import type { Registry } from '../../registry/registry.js';
import type { RouteAssignment } from '../../registry/routes/assignment.js';
import { askHost, DEFAULT_ASK_RULE, type HostOutcome } from './ask.js';
import type { DispatcherDeps } from './dispatcher-deps.js';
import { connectorRoute, projectAction, type RemoteWork } from './project.js';

/** Asks the host that work is pinned to. Work that may have begun is sent again only to a host that journals actions, or when it is repeatable. Never rejects. */
export async function askPinned(
  deps: DispatcherDeps,
  work: RemoteWork,
  assignment: RouteAssignment,
  began: boolean,
  signal: AbortSignal,
): Promise<HostOutcome & { readonly journaled?: boolean }> {
  const { registry, peer, clock, log } = deps;
  const rule = { ...DEFAULT_ASK_RULE, ...deps.asking };
  const route = connectorRoute(work, assignment);
  let journaled: boolean | undefined;
  try {
    journaled = await registry.routes.journals(assignment.versionId);
    if (began && !journaled && !work.repeatable) throw outcomeUnknown();
    const outcome = await askHost(
      { peer, signer: deps.signer, registry, documents: deps.documents, rule, clock, log },
      {
        action: projectAction(work, route, deps.callbackUrl),
        route,
        assignment,
        sessionId: work.sessionId,
        mayHaveBegun: began,
        maxDocumentBytes: work.maxDocumentBytes,
        journaled,
      },
      signal,
    );
    return { ...outcome, journaled };
  } catch (error) {
    const known = journaled === undefined ? {} : { journaled };
    if (!began) return { kind: 'failed', error: aipErrorOf(error), settlement: 'refused', ...known };
    const unknown = outcomeUnknown(undefined, { cause: error });
    return { kind: 'failed', error: unknown, settlement: 'outcome_unknown', ...known };
  }
}

/** Whether an earlier dispatch may have begun the work; a registry that cannot be read does not say no. */
export async function mayHaveBegun(
  { routes }: Pick<Registry, 'routes'>,
  { again, action, tenantId }: RemoteWork,
): Promise<boolean> {
  if (!again) return false;
  try {
    return await routes.mayHaveBegun({ actionId: action.id, tenantId });
  } catch (error) {
    if (error instanceof StorageUnavailable) return true;
    throw error;
  }
}
