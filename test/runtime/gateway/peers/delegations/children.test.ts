import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAction } from '#runtime/gateway/actions/read/find.js';
import { actionStatus } from '#runtime/gateway/actions/read/status.js';
import type { Identity } from '#runtime/gateway/edge/identity.js';
import { actionEvents } from '#runtime/gateway/events/queries.js';
import { openChunkSink } from '#runtime/gateway/ingress/chunks/sink.js';
import { type Delegations, openDelegations } from '#runtime/gateway/peers/delegations/open.js';
import { DEFAULT_STOCK_LIMITS } from '#runtime/gateway/records/stock/limits.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import type { DelegationRequest, DelegationResult } from '#runtime/protocol/types.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../../support/until.ts';
import { actionsOverFreshDatabase, caller, capability, type TestGateway } from '../../support/actions.ts';
import { delegation } from '../../support/delegations.ts';

// Who reads a child action that runs here: docs/protocol/records.md#delegations.

const HERE = { id: 'service:gateway', kind: 'service' as const };
const desk = (scopes: string[], tenantId: string | undefined = 'acme'): Identity =>
  caller('agent:desk', tenantId, scopes);

let gateway: TestGateway;
let delegations: Delegations;
let end: () => Promise<void>;
/** Ends the child actions, whichever run. */
let release: () => void;
beforeAll(async () => {
  const released = new Promise<void>((done) => {
    release = done;
  });
  const local = await actionsOverFreshDatabase([
    capability('cap:streams', async () => {
      await released;
      return { done: true };
    }),
  ]);
  gateway = local.gateway;
  const log = openLogger({ component: 'test', level: 'silent' });
  const { pool, actions } = gateway;
  const deps = { pool, clock: Date.now, log, gateway: HERE, linkTo: undefined, stock: DEFAULT_STOCK_LIMITS };
  delegations = openDelegations({ ...deps, submit: actions.submit, admitCallback: actions.admitCallback });
  end = async () => {
    await delegations.stop();
    await local.end();
  };
});
afterAll(() => end?.());

const ask = (as: Identity, request: DelegationRequest): Promise<DelegationResult> =>
  delegations.request(as, request, newEnvelope({ delegation_request: request }, {}, { clock: Date.now }), {
    requestId: 'test',
  });
const chunksOf = (as: Identity, action_id: string) =>
  actionEvents({ pool: gateway.pool, clock: Date.now, findAction }, as, {
    action_id,
    include_chunks: true,
    follow: false,
  });
const codeOf = (read: Promise<unknown>): Promise<string> =>
  read.then(
    () => 'read',
    (error) => (error as { code: string }).code,
  );

test('the requester of a child action that runs here reads it and its chunks while it streams; nobody else gains by a delegation of the same child', async () => {
  const requester = desk(['action:read']);
  const child = { id: newId('action'), capability_id: 'cap:streams', input: {}, mode: 'streaming' as const };
  const request = delegation({ requested_by: requester.principal, delegate: HERE, child_action: child });
  const answered = ask(requester, request);
  await until('the child action runs', async () => {
    const { rows } = await gateway.pool.query('SELECT 1 FROM runtime.actions WHERE action_id = $1', [child.id]);
    return rows.length > 0;
  });
  const store = openChunkSink({ pool: gateway.pool, clock: Date.now });
  const chunk = (sequence: number) => ({
    action_id: child.id,
    sequence,
    kind: 'data' as const,
    part: { type: 'text' as const, text: `part ${sequence}` },
  });
  for (const sequence of [1, 2]) await store({ chunk: chunk(sequence), tenantId: 'acme' });
  const shown = await until('both chunks are shown', async () => {
    const page = await chunksOf(requester, child.id);
    return page.chunks?.length === 2 && page;
  });
  expect([shown.chunks, shown.terminal]).toMatchObject([[chunk(1), chunk(2)], false]);
  expect(await actionStatus(gateway.pool, requester, { actionId: child.id }, Date.now())).toMatchObject({
    state: 'streaming',
  });
  const rival = caller('agent:rival', 'acme', ['action:read']);
  // Its delegation is stored and fails, since the id of the child is taken.
  const copied = { ...request, delegation_id: newId('delegation'), requested_by: rival.principal };
  expect(await ask(rival, copied)).toMatchObject({ status: 'failed', error: { code: 'action.id_conflict' } });
  for (const [who, code] of [
    [rival, 'action.not_found'],
    [desk([]), 'auth.not_authorized'],
    [desk(['action:read'], 'globex'), 'action.not_found'],
    [{ ...requester, principal: { id: 'agent:desk', kind: 'human' } } as Identity, 'action.not_found'],
  ] as const) {
    expect(await codeOf(chunksOf(who, child.id))).toBe(code);
    expect(await codeOf(actionStatus(gateway.pool, who, { actionId: child.id }, Date.now()))).toBe(code);
  }
  release();
  expect(await answered).toMatchObject({ status: 'completed', result: { output: { done: true } } });
  await until('the end is shown', async () => (await chunksOf(requester, child.id)).terminal);
});
