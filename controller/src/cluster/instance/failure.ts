import { CapabilitySchemaInvalid, StorageUnavailable } from '@aip/runtime/internal/messages';
import { CapabilityConflict, RegistryConflict, RegistryInputInvalid } from '@aip/runtime/internal/registry';
import { connectorInstanceKey } from '../../api/names.js';
import { DatabaseRightsMissing } from '../../fleet/host-database.js';
import { KubeConflict, KubeForbidden, KubeInvalid, KubeUnavailable } from '../../kube/client/errors.js';
import { DescribeInterrupted } from '../describe/descriptions.js';
import { NameTaken, PredecessorLeft } from '../provision/ensure.js';
import { AuthorityMissing, IdentityLost, IdentityUnusable } from '../provision/identities.js';
import { TemplateLost } from '../provision/shared-objects.js';

/** What a failed step means for the people who read the instance. */
export interface Failure {
  /** CamelCase and stable. */
  reason: string;
  message: string;
  /** Only a change of the resource, or of something beside it, helps: said by Stalled. */
  stalled: boolean;
  /** Not worth reporting: it is over by the next reconcile. */
  passing: boolean;
}

/** Names an error. Everything is tried again with growing pauses; what differs is what is said meanwhile. */
export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const stalled = (reason: string): Failure => ({ reason, message, stalled: true, passing: false });
  const waiting = (reason: string): Failure => ({ reason, message, stalled: false, passing: false });
  const passing = (reason: string): Failure => ({ reason, message, stalled: false, passing: true });
  if (error instanceof KubeConflict) return passing('Conflict');
  if (error instanceof PredecessorLeft) return passing('PredecessorLeft');
  if (error instanceof CapabilityConflict) {
    const other = error.instanceId && connectorInstanceKey(error.instanceId);
    const told = stalled('CapabilityConflict');
    return other ? { ...told, message: `${message}; the ConnectorInstance ${other} has it` } : told;
  }
  if (error instanceof RegistryConflict || error instanceof RegistryInputInvalid) return stalled('RegistryRefused');
  if (error instanceof CapabilitySchemaInvalid) return stalled('RegistryRefused');
  if (error instanceof NameTaken) return stalled('NameTaken');
  if (error instanceof KubeInvalid) return stalled('Invalid');
  if (error instanceof KubeForbidden) return stalled(isQuota(error) ? 'QuotaExceeded' : 'Forbidden');
  if (error instanceof IdentityUnusable) return stalled('IdentityUnusable');
  if (error instanceof IdentityLost) return waiting('IdentityLost');
  if (error instanceof TemplateLost) return waiting('TemplateLost');
  if (error instanceof AuthorityMissing) return waiting('AuthorityMissing');
  if (error instanceof DescribeInterrupted) return waiting('DescribeInterrupted');
  if (error instanceof KubeUnavailable) return waiting('ApiServerUnavailable');
  if (error instanceof DatabaseRightsMissing) return stalled('DatabaseRightsMissing');
  if (error instanceof StorageUnavailable) return waiting('DatabaseUnavailable');
  return waiting('StepFailed');
}

/** The API server has one status for all refusals; the quota's plugin can be recognised only by its wording. */
function isQuota(error: KubeForbidden): boolean {
  return error.message.includes('exceeded quota');
}
