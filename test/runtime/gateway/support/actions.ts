import type { SubmitReply } from '#runtime/gateway/actions/accept/submit.js';
import type { LocalCapability } from '#runtime/gateway/actions/capabilities/local-capabilities.js';
import { type Actions, type ActionsOptions, openActions } from '#runtime/gateway/actions/open.js';
import type { RequestedPlan } from '#runtime/gateway/actions/record/plan.js';
import { reachedAction } from '#runtime/gateway/actions/record/read.js';
import type { ActionRecord } from '#runtime/gateway/actions/record/record.js';
import { isTerminal } from '#runtime/gateway/actions/record/states.js';
import type { Identity } from '#runtime/gateway/edge/identity.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { type Envelope, newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Action, Capability, CapabilityContract } from '#runtime/protocol/types.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { freshDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';

/** What a test capability does with an action. */
export type Handler = (action: Action, signal: AbortSignal) => Promise<unknown>;

/** A contract that allows everything, with the given changes one level deep. */
export function contractOf(changes: { [K in keyof CapabilityContract]?: object } = {}): CapabilityContract {
  return {
    side_effects: ['write'],
    idempotency: {
      requirement: 'optional',
      collision_behavior: 'return_original_result',
      key_scope: 'principal',
      ...changes.idempotency,
    },
    execution: {
      supports_sync: true,
      supports_async: true,
      supports_streaming: true,
      supports_cancel: true,
      supports_retry: true,
      expected_completion: 'any',
      retry_safety: 'safe',
      ...changes.execution,
    },
    data: { sensitivity: 'internal', contains_pii: false, redaction_required: false },
    ...(changes.sla && { sla: { async_expected: false, ...changes.sla } }),
    ...(changes.approval && { approval: changes.approval }),
    ...(changes.transaction && { transaction: changes.transaction }),
  } as CapabilityContract;
}

/** A capability of a test, executed in the gateway itself. */
export function capability(id: string, run: Handler, changes: Partial<Capability> = {}): LocalCapability {
  return {
    capability: {
      id,
      name: id,
      kind: 'tool',
      input_schema: { type: 'object' },
      contract: contractOf(),
      ...changes,
    } as Capability,
    run,
  };
}

/** The actions of one gateway process over a database that others may share. */
export interface TestGateway {
  readonly actions: Actions;
  readonly pool: Pool;
  submit(
    action: Partial<Action> & { capability_id: string },
    options?: { as?: Identity; envelope?: Partial<Envelope>; requested?: RequestedPlan },
  ): Promise<SubmitReply>;
  record(actionId: string): Promise<ActionRecord>;
  /** Waits for the terminal record. */
  ended(actionId: string): Promise<ActionRecord>;
  /** Ends the process as a crash would: nothing is given up, no lease is renewed. */
  stop(graceMs?: number): Promise<void>;
}

/** A caller with every scope inside the tenant acme. */
export function caller(id = 'agent:desk', tenantId: string | undefined = 'acme', scopes: string[] = ['*']): Identity {
  const tenant = tenantId === undefined ? {} : { tenantId };
  return { principal: { id, kind: 'agent' }, scopes: new Set(scopes), ...tenant, roles: [], scheme: 'bearer' };
}

/** Starts the actions of a gateway over `url`, with a clock that the test may move. */
export async function startActions(
  url: string,
  capabilities: LocalCapability[],
  clock: () => number = Date.now,
  more: Partial<ActionsOptions> = {},
): Promise<TestGateway> {
  const pool = openPool({ url, max: 8 });
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
  const actions = openActions({
    pool,
    clock,
    log: openLogger({ component: 'test', level: 'silent' }),
    gateway: { id: 'service:gateway', kind: 'service' },
    local: new Map(capabilities.map((each) => [each.capability.id, each])),
    ...more,
  });
  const record = async (actionId: string): Promise<ActionRecord> => {
    const found = await reachedAction(pool, { tenant: 'any', principals: 'any' }, actionId);
    if (!found) throw new Error(`there is no action ${actionId}`);
    return found;
  };
  return {
    actions,
    pool,
    submit: (action, { as = caller(), envelope = {}, requested } = {}) => {
      const body = { action: { id: newId('action'), input: {}, ...action } as Action };
      const context = { requestId: 'test' };
      return actions.submit(as, newEnvelope(body, envelope, { clock }), body.action, context, requested);
    },
    record,
    ended: (actionId) =>
      until(`${actionId} has ended`, async () => {
        const found = await record(actionId);
        return isTerminal(found.state) && found;
      }),
    stop: async (graceMs = 1000) => {
      await actions.stop(graceMs);
      await pool.close();
    },
  };
}

/** A database with the actions of one gateway in it; `end` drops both. */
export async function actionsOverFreshDatabase(
  capabilities: LocalCapability[],
  clock?: () => number,
): Promise<{ gateway: TestGateway; url: string; end: () => Promise<void> }> {
  const { url, drop } = await freshDatabase();
  const gateway = await startActions(url, capabilities, clock);
  return {
    gateway,
    url,
    end: async () => {
      await gateway.stop();
      await drop();
    },
  };
}

/** The result of a reply that has to be one. */
export function resultOf(reply: SubmitReply) {
  if (!('action_result' in reply)) throw new Error(`an ack came: ${JSON.stringify(reply.ack)}`);
  return reply.action_result;
}
