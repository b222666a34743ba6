import { digestOf } from '../../protocol/digest.js';
import { DEFAULT_POLICY } from '../policies.js';
import type { AdmissionScope, AssignmentAdmission } from './assignment.js';
import type { RouteOption } from './bindings-cache.js';

/** The counters that a new route is held against, from its policy (docs/protocol/registry.md#quota-policies). A limit that is off makes no scope. */
export function admissionOf(option: RouteOption, tenantId: string, capabilityId: string): AssignmentAdmission {
  const limits = option.policy?.limits ?? DEFAULT_POLICY.limits;
  const base: AdmissionScope[] = [];
  const add = (kind: AdmissionScope['kind'], key: string, limit: number | undefined): void => {
    if (limit !== undefined) base.push({ kind, key, limit });
  };
  add('global', 'fleet', limits.max_global_in_flight);
  add('tenant', tenantId, limits.max_tenant_in_flight);
  add('connector_type', option.typeId, limits.max_connector_type_in_flight);
  add('instance', option.instanceId, limits.max_instance_in_flight);
  add('binding', digestOf([tenantId, capabilityId, option.instanceId].join('\u001f')), limits.max_binding_in_flight);
  const retry = limits.max_tenant_retry_in_flight;
  return {
    base,
    retry: retry === undefined ? null : { kind: 'tenant_retry', key: tenantId, limit: retry },
    circuit_failure_threshold: limits.circuit_failure_threshold,
    circuit_open_ms: limits.circuit_open_ms,
  };
}
