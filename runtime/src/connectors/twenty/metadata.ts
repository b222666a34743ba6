import { invalidRequest } from '../provider/failures.js';
import { sentHeaders } from '../provider/headers.js';
import { capability } from '../sdk/capability.js';
import type { CapabilityContext } from '../sdk/context.js';
import { readOnly, unsafeWrite } from '../sdk/contract.js';
import type { TwentyConfig } from './config.js';
import { METADATA_RESOURCES, metadataQuery } from './metadata-query.js';
import { withoutSecrets } from './redact.js';
import { TWENTY, workspaceOf } from './workspace.js';

type Context = CapabilityContext<TwentyConfig>;

const resource = { enum: METADATA_RESOURCES } as const;
const id = {
  type: 'string',
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-5][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$',
} as const;
const data = { type: 'object', maxProperties: 512 } as const;
const output = {
  type: 'object',
  required: ['http_status', 'body'],
  properties: { http_status: { type: 'integer' } },
} as const;

const about = (operation: string, verb: string) => ({
  id: `cap:${TWENTY}:${operation}`,
  name: `Twenty: ${verb} metadata`,
  description: `${verb} one of the fixed metadata resources of the configured workspace.`,
  stability: 'stable' as const,
  output,
});
const read = readOnly({
  side_effects: ['external_network', 'read'],
  idempotency: { collision_behavior: 'revalidate_input_hash', key_scope: 'capability', ttl_ms: 604_800_000 },
  execution: { supports_async: false, supports_cancel: false },
  data: { sensitivity: 'confidential', contains_pii: true, redaction_required: true },
  sla: { expected_latency_ms: 2000, timeout_ms: 120_000, max_queue_delay_ms: 10_000 },
});
const write = (effect: 'write' | 'delete') =>
  unsafeWrite({
    side_effects: ['external_network', effect],
    idempotency: { ...read.idempotency, requirement: 'required' },
    execution: { supports_async: false, supports_cancel: false },
    data: read.data,
    sla: read.sla ?? {},
    approval: {
      required: true,
      reason: 'changes the data model of the workspace',
      approver_selector: { type: 'tenant_policy' },
      ttl_ms: 900_000,
      evidence_requirements: ['reason', 'input_snapshot', 'policy_decision'],
      minimum_distinct_principals: 1,
      separation_of_duties: { requester_must_differ: false, operator_must_differ: false, allow_self_approval: false },
    },
    compensation: { mode: 'rollback_not_supported', requires_approval: true },
  });

/** cap:twenty:metadata.list, .get, .create, .update and .delete over the twelve metadata resources. */
export const metadataCapabilities = [
  capability({
    ...about('metadata.list', 'List'),
    risk: 'low',
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['resource'],
      properties: { resource, query: { type: 'object', additionalProperties: { type: ['string', 'integer'] } } },
    },
    contract: read,
    run: (input, ctx: Context) => {
      const search = metadataQuery(input.resource, input.query);
      if (typeof search !== 'string') throw refusedInput('metadata.list', search.problem);
      return send(ctx, 'metadata.list', 'GET', `${pathOf(input.resource)}${search}`);
    },
  }),
  capability({
    ...about('metadata.get', 'Read'),
    risk: 'low',
    input: { type: 'object', additionalProperties: false, required: ['resource', 'id'], properties: { resource, id } },
    contract: read,
    run: (input, ctx: Context) => send(ctx, 'metadata.get', 'GET', pathOf(input.resource, input.id)),
  }),
  capability({
    ...about('metadata.create', 'Create'),
    risk: 'critical',
    requiresHumanApproval: true,
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['resource', 'data'],
      properties: { resource, data },
    },
    contract: write('write'),
    run: (input, ctx: Context) => {
      refuseSecret('metadata.create', input);
      return send(ctx, 'metadata.create', 'POST', pathOf(input.resource), input.data);
    },
  }),
  capability({
    ...about('metadata.update', 'Change'),
    risk: 'critical',
    requiresHumanApproval: true,
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['resource', 'id', 'data'],
      properties: { resource, id, data },
    },
    contract: write('write'),
    run: (input, ctx: Context) => {
      refuseSecret('metadata.update', input);
      return send(ctx, 'metadata.update', 'PATCH', pathOf(input.resource, input.id), input.data);
    },
  }),
  capability({
    ...about('metadata.delete', 'Delete'),
    risk: 'critical',
    requiresHumanApproval: true,
    input: { type: 'object', additionalProperties: false, required: ['resource', 'id'], properties: { resource, id } },
    contract: write('delete'),
    run: (input, ctx: Context) => send(ctx, 'metadata.delete', 'DELETE', pathOf(input.resource, input.id)),
  }),
];

const pathOf = (name: string, recordId?: string): string =>
  `/rest/metadata/${name}${recordId === undefined ? '' : `/${recordId}`}`;

async function send(
  ctx: Context,
  operation: string,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
) {
  const {
    status,
    requestId,
    body: answer,
  } = await workspaceOf(ctx).json({
    method,
    path,
    ...(body && { body }),
    headers: sentHeaders(ctx),
    signal: ctx.signal,
    details: { twenty_operation: operation },
  });
  return { http_status: status, provider_request_id: requestId, body: withoutSecrets(answer) };
}

/** The signing secret of a webhook is the operator's to set at the provider; it must not travel through actions. */
function refuseSecret(operation: string, input: { resource: string; data: object }): void {
  if (input.resource === 'webhooks' && 'secret' in input.data)
    throw refusedInput(operation, 'the secret of a webhook cannot be set by an action; set it at the provider');
}

function refusedInput(operation: string, problem: string): Error {
  return invalidRequest({ type: TWENTY, mutates: false, details: { twenty_operation: operation } }, problem);
}
