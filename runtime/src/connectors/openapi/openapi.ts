import { NATIVE_HTTP_PROFILE } from '../../protocol/wire/native-http.js';
import { openProviderClient } from '../provider/client.js';
import { invalidRequest, unusableCredential } from '../provider/failures.js';
import { sentHeaders } from '../provider/headers.js';
import { originIssues } from '../provider/origin.js';
import { type ConnectorCapability, capability } from '../sdk/capability.js';
import { type ConfigIssue, defineConnector } from '../sdk/connector.js';
import type { CapabilityContext, ProbeContext } from '../sdk/context.js';
import { idempotentWrite, readOnly, unsafeWrite } from '../sdk/contract.js';
import {
  choicesOf,
  MAX_ANSWER_BYTES,
  type OpenapiConfig,
  type OperationChoice,
  openapiConfigSchema,
} from './config.js';
import { DocumentProblem, type FoundOperation, type Method, type Node, operationsOf, serverPath } from './document.js';
import { readOperation } from './operation.js';
import { buildRequest, type OperationInput } from './request.js';

const OPENAPI = 'openapi';
const DEFAULT_TIMEOUT_MS = 30_000;
const RISKS: Record<Method, NonNullable<OperationChoice['risk']>> = {
  get: 'low',
  head: 'low',
  post: 'medium',
  put: 'medium',
  patch: 'medium',
  delete: 'high',
};

/** Operations of any HTTP API as capabilities, by its OpenAPI document and configuration alone. */
export const openapi = defineConnector<OpenapiConfig>({
  type: OPENAPI,
  configSchema: openapiConfigSchema,
  checkConfig: issuesOf,
  agent: ({ name }) => ({ id: `agent:openapi:${name}`, kind: 'agent', display_name: name }),
  profiles: () => [NATIVE_HTTP_PROFILE, 'aip.connector.openapi.v1'],
  capabilities: (config) => {
    const found = operationsOf(config.document);
    return choicesOf(config).map((choice) =>
      operationCapability(config, choice, found.get(choice.operation) as FoundOperation),
    );
  },
  health: async (ctx) => {
    const { health_path: path } = ctx.config;
    if (path === undefined) return { ready: true, detail: 'the configuration names no health_path' };
    await clientOf(ctx).probe({ method: 'GET', path, signal: ctx.signal });
    return { ready: true, detail: 'the provider answers' };
  },
});

function issuesOf(config: OpenapiConfig): ConfigIssue[] {
  const { base_url, allow_insecure_http, document, credential } = config;
  const issues = originIssues(base_url, allow_insecure_http);
  if (credential?.scheme === 'header' && credential.header === undefined)
    issues.push({ path: '/credential/header', message: 'must be given for the scheme header' });
  if (!/^3\.[01]\./.test(String(document.openapi)))
    issues.push({ path: '/document/openapi', message: 'must be 3.0.x or 3.1.x' });
  const choices = choicesOf(config);
  try {
    const found = operationsOf(document);
    choices.forEach(({ operation }, index) => {
      const path = `/operations/${index}`;
      const first = choices.findIndex((each) => each.operation === operation);
      const known = found.get(operation);
      if (first !== index) issues.push({ path, message: `names ${operation} a second time` });
      else if (!known) issues.push({ path, message: `names no operation of the document: ${operation}` });
      else issues.push(...problemOf(path, () => readOperation(document, known)));
    });
  } catch (error) {
    if (!(error instanceof DocumentProblem)) throw error;
    issues.push({ path: '/document', message: error.message });
  }
  return issues;
}

function problemOf(path: string, read: () => unknown): ConfigIssue[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof DocumentProblem) return [{ path, message: `cannot be offered: ${error.message}` }];
    throw error;
  }
}

function operationCapability(
  config: OpenapiConfig,
  choice: OperationChoice,
  found: FoundOperation,
): ConnectorCapability<OpenapiConfig> {
  const { method, path, node } = found;
  const { operation, risk = RISKS[method], approval = risk === 'high' || risk === 'critical' } = choice;
  const { parameters, input, output } = readOperation(config.document, found);
  return capability<object, object, OpenapiConfig>({
    id: `cap:openapi:${config.name}.${operation}`,
    name: textOf(node.summary) ?? operation,
    ...(textOf(node.description) !== undefined && { description: textOf(node.description) as string }),
    risk,
    requiresHumanApproval: approval,
    bindings: [
      { profile: 'aip.connector.openapi.v1', operation, provider_method: method.toUpperCase(), provider_path: path },
    ],
    input,
    output,
    contract: contractOf(config, method, choice.effect, approval),
    run: async (given, ctx) => {
      const sent = given as OperationInput;
      const details = { operation };
      const call = { type: OPENAPI, mutates: false, details };
      const built = buildRequest(basePathOf(ctx.config), path, parameters, sent);
      if ('problem' in built) throw invalidRequest(call, built.problem);
      const { status, requestId, body } = await clientOf(ctx).json({
        method: method.toUpperCase() as 'GET',
        path: built.target,
        ...(sent.body !== undefined && { body: sent.body }),
        headers: { ...built.headers, ...keyedHeaders(ctx) },
        signal: ctx.signal,
        details,
      });
      return { http_status: status, provider_request_id: requestId, body };
    },
  });
}

function contractOf(
  { timeout_ms = DEFAULT_TIMEOUT_MS, idempotency_header }: OpenapiConfig,
  method: Method,
  effect: OperationChoice['effect'],
  approval: boolean,
) {
  const sla = { timeout_ms: timeout_ms + 5000 };
  const data = { sensitivity: 'confidential', contains_pii: true } as const;
  if ((effect ?? (method === 'get' || method === 'head' ? 'read' : undefined)) === 'read')
    return readOnly({ side_effects: ['external_network', 'read'], data, sla });
  const write = {
    side_effects: ['external_network' as const, method === 'delete' ? ('delete' as const) : ('write' as const)],
    data,
    sla,
    ...(approval && {
      approval: {
        required: true,
        reason: 'changes data at the provider',
        approver_selector: { type: 'tenant_policy' as const },
        minimum_distinct_principals: 1,
        separation_of_duties: { requester_must_differ: false, operator_must_differ: false, allow_self_approval: false },
      },
    }),
  };
  const keyed = effect === 'idempotent' || (effect === undefined && idempotency_header !== undefined);
  return keyed ? idempotentWrite({ key: 'required', scope: 'capability', ...write }) : unsafeWrite(write);
}

function basePathOf({ base_path, document }: OpenapiConfig): string {
  return base_path ?? serverPath(document as Node);
}

/** The trace of the action, and its key under the name that the provider reads. */
function keyedHeaders(ctx: CapabilityContext<OpenapiConfig>): Record<string, string> {
  const { 'idempotency-key': key, ...headers } = sentHeaders(ctx);
  const name = ctx.config.idempotency_header;
  return name === undefined || key === undefined ? headers : { ...headers, [name.toLowerCase()]: key };
}

function clientOf({ config, secret }: Pick<ProbeContext<OpenapiConfig>, 'config' | 'secret'>) {
  return openProviderClient({
    type: OPENAPI,
    baseUrl: config.base_url,
    maxResponseBytes: config.max_response_bytes ?? MAX_ANSWER_BYTES,
    timeoutMs: config.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    credential: () => credentialHeaders(config, secret),
  });
}

function credentialHeaders({ credential }: OpenapiConfig, secret: ProbeContext['secret']): Record<string, string> {
  if (!credential) return {};
  const call = { type: OPENAPI, mutates: false };
  let text: string;
  try {
    text = secret(credential.secret);
  } catch (cause) {
    throw unusableCredential(call, `the credential cannot be used: ${(cause as Error).message}`, cause);
  }
  if (credential.scheme === 'basic') return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
  if (!/^[\x20-\x7e]+$/.test(text))
    throw unusableCredential(call, `the secret ${credential.secret} must be printable ASCII`);
  if (credential.scheme === 'bearer') return { authorization: `Bearer ${text}` };
  return { [(credential.header as string).toLowerCase()]: text };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
