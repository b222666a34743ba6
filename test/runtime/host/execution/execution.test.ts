import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { until } from '../../../support/until.ts';
import { approvedRefund } from '../support/approval.ts';
import { callsOf, isJournaled } from '../support/calls.ts';
import { startTestbed, type Testbed } from '../support/testbed.ts';

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed({ ttlMs: 60_000 });
});
afterAll(async () => {
  await testbed?.stop();
});

const flaky = (mode: string, over: object = {}) => ({
  id: newId('action'),
  capability_id: 'cap:demo:flaky',
  input: { mode, ...over },
});

test('F-167 an action whose client mode was async arrives as sync and is answered with its terminal result', async () => {
  const answer = await testbed.central.send(
    { capability_id: 'cap:demo:report', mode: 'sync', input: { seconds: 0.1, title: 'later' } },
    { route: { original_mode: 'async' } },
  );
  expect(answer).toMatchObject({ status: 200, result: { status: 'completed', output: { title: 'later' } } });
});

test('an input that does not pass the schema fails the action without a call', async () => {
  const action = { ...flaky('ok'), input: { mode: 'sideways' } };
  const answer = await testbed.central.send(action);
  expect(answer).toMatchObject({
    status: 200,
    result: {
      status: 'failed',
      error: { code: 'action.input_schema_invalid', details: { issues: [{ path: '/mode' }] } },
    },
  });
  expect(await callsOf(testbed, action.id)).toBe(0);
});

test('an input that breaks a rule of the protocol is refused, signed', async () => {
  const answer = await testbed.central.send({ ...flaky('ok'), timeout_ms: 0 });
  expect(answer).toMatchObject({ status: 400, signer: testbed.key.did, error: { code: 'action.invalid_input' } });
});

test('failures of the connector keep code, category and details', async () => {
  expect((await testbed.central.send(flaky('permanent'))).result).toMatchObject({
    status: 'failed',
    error: {
      code: 'connector.demo.refused',
      category: 'permanent',
      retryable: false,
      source: { component: 'demo' },
      details: {
        operation: 'invocation',
        provider_request_id: null,
        provider_operation: null,
        remote_status: 422,
        uncertain_outcome: false,
        details: null,
      },
    },
  });
  expect((await testbed.central.send(flaky('unknown_outcome'))).result).toMatchObject({
    status: 'failed',
    error: { code: 'connector.outcome_unknown', category: 'connector', details: { uncertain_outcome: true } },
  });
});

test('an action that takes too long fails with its timeout; what it did stays uncertain', async () => {
  const answer = await testbed.central.send({ ...flaky('timeout'), timeout_ms: 100 });
  expect(answer.result).toMatchObject({
    status: 'failed',
    error: { code: 'sla.timeout_exceeded', details: { uncertain_outcome: true } },
  });
});

test('the same message again, and a new message for the same action, get the recorded result without another call', async () => {
  const action = flaky('ok');
  const envelope = await testbed.central.action(action);
  const first = await testbed.central.post(envelope);
  expect(await testbed.central.post(envelope)).toMatchObject({ status: 200, result: first.result });
  const again = await testbed.central.send(action);
  expect(again).toMatchObject({ status: 200, signer: testbed.key.did, result: first.result });
  expect(again.envelope?.in_response_to).not.toBe(first.envelope?.in_response_to);
  await testbed.crash();
  expect((await testbed.central.send(action)).result).toEqual(first.result);
  expect((await testbed.central.post(envelope)).result).toEqual(first.result);
  expect(await callsOf(testbed, action.id)).toBe(1);
});

test('another request under a known action id is refused', async () => {
  const action = flaky('ok');
  await testbed.central.send(action);
  const other = await testbed.central.send({ ...action, input: { mode: 'permanent' } });
  expect(other).toMatchObject({ status: 400, signer: testbed.key.did, error: { code: 'action.id_conflict' } });
});

test('another request under the id of a running action is refused, and the action continues', async () => {
  const action = { id: newId('action'), capability_id: 'cap:demo:report', input: { seconds: 2 } };
  const running = testbed.central.send(action);
  await until('it runs', () => isJournaled(testbed, action.id));
  const other = await testbed.central.send({ ...action, input: { seconds: 1 } });
  expect(other).toMatchObject({ status: 400, signer: testbed.key.did, error: { code: 'action.id_conflict' } });
  expect((await running).result?.status).toBe('completed');
});

test('deliveries that meet a running action wait for its one result', async () => {
  const action = { id: newId('action'), capability_id: 'cap:demo:report', input: { seconds: 0.6 } };
  const envelope = await testbed.central.action(action);
  const answers = [testbed.central.post(envelope)];
  await until('it runs', () => isJournaled(testbed, action.id));
  answers.push(testbed.central.post(envelope), testbed.central.send(action), testbed.central.send(action));
  expect(await testbed.metrics()).toMatchObject({ in_flight: 1 });
  const results = (await Promise.all(answers)).map(({ result }) => result);
  expect(results).toEqual(results.map(() => results[0]));
  expect(results[0]).toMatchObject({ status: 'completed' });
});

test('a retryable failure may be retried with a new message, not with the same one', async () => {
  const action = flaky('retryable', { fail_times: 1 });
  const envelope = await testbed.central.action(action);
  const first = await testbed.central.post(envelope);
  expect(first.result).toMatchObject({ status: 'failed', error: { retryable: true, retry_after_ms: 100 } });
  expect((await testbed.central.post(envelope)).result).toEqual(first.result);
  expect((await testbed.central.send(action)).result).toMatchObject({ status: 'completed', output: { attempt: 2 } });
});

test('a caller that hangs up changes nothing: the action runs on, keeps its slot, and its result waits', async () => {
  const action = { id: newId('action'), capability_id: 'cap:demo:report', input: { seconds: 0.7 } };
  const envelope = await testbed.central.action(action);
  const gone = new AbortController();
  const call = fetch(`${testbed.host.url}/aip/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(envelope),
    signal: gone.signal,
  }).catch(() => undefined);
  await until('it runs', () => isJournaled(testbed, action.id));
  gone.abort();
  await call;
  expect(await testbed.metrics()).toMatchObject({ in_flight: 1 });
  await until('it ended', async () => (await testbed.metrics()).in_flight === 0);
  expect((await testbed.central.send(action)).result).toMatchObject({ status: 'completed', output: { seconds: 0.7 } });
});

test('killed in the middle, retry safe: the action runs again and completes', async () => {
  const action = { id: newId('action'), capability_id: 'cap:demo:report', input: { seconds: 1 } };
  const lost = testbed.central.send(action).catch(() => undefined);
  await until('it runs', () => isJournaled(testbed, action.id));
  await testbed.crash();
  await lost;
  await until('it is counted', async () => {
    const { body } = await testbed.readiness();
    return body.runtime.recovery.queued_results === 1;
  });
  expect((await testbed.central.send(action)).result).toMatchObject({ status: 'completed', output: { seconds: 1 } });
});

test('killed in the middle, not safe and nothing to ask: the outcome is unknown, and stays so', async () => {
  const action = { ...flaky('timeout'), timeout_ms: 60_000 };
  const lost = testbed.central.send(action).catch(() => undefined);
  await until('it was called', async () => (await callsOf(testbed, action.id)) === 1);
  await testbed.crash();
  await lost;
  const unknown = {
    status: 200,
    signer: testbed.key.did,
    result: {
      status: 'failed',
      error: {
        code: 'connector.outcome_unknown',
        category: 'connector',
        retryable: false,
        details: { uncertain_outcome: true },
      },
    },
  };
  expect(await testbed.central.send(action)).toMatchObject(unknown);
  expect(await testbed.central.send(action)).toMatchObject(unknown);
  expect(await callsOf(testbed, action.id)).toBe(1);
});

test('a refund pays once for one key, also when the host was killed before its result was stored', async () => {
  const { action, record } = approvedRefund(4200);
  const send = () => testbed.central.send(action, { route: { approval_authorization: record } });
  const first = await send();
  expect(first.result).toMatchObject({ status: 'completed', output: { amount_minor: 4200 } });
  await testbed.pool.query(
    "UPDATE aip_host.executions SET state = 'started', result = NULL, finished_at = NULL WHERE action_id = $1",
    [action.id],
  );
  await testbed.crash();
  expect((await send()).result).toEqual(first.result);
  const { rows } = await testbed.pool.query<{ value: number }>(
    "SELECT (value #>> '{}')::bigint AS value FROM aip_host.connector_state WHERE key = 'refunds'",
  );
  expect(rows[0]?.value).toBe(1);
  const { rows: journal } = await testbed.pool.query<{ effect_at: number; attempt: number }>(
    'SELECT effect_at, attempt FROM aip_host.executions WHERE action_id = $1',
    [action.id],
  );
  expect(journal[0]).toMatchObject({ attempt: 2, effect_at: expect.any(Number) });
});

test('an effect that the storage does not take is not denied: the call comes to its own end', async () => {
  await testbed.pool.query(
    `CREATE FUNCTION aip_host.refuse_effect() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
     CREATE TRIGGER refuse_effect BEFORE UPDATE ON aip_host.executions FOR EACH ROW
       WHEN (NEW.effect_at IS NOT NULL AND OLD.effect_at IS NULL) EXECUTE FUNCTION aip_host.refuse_effect();`,
  );
  onTestFinished(async () => {
    await testbed.pool.query('DROP FUNCTION aip_host.refuse_effect() CASCADE');
  });
  const { action, record } = approvedRefund(4300);
  const answer = await testbed.central.send(action, { route: { approval_authorization: record } });
  expect(answer.result).toMatchObject({ status: 'completed', output: { amount_minor: 4300 } });
  expect(testbed.host.lines()).toContainEqual(expect.objectContaining({ message: 'the effect could not be recorded' }));
});

test('F-158 a cancellation ends a running action for everybody who waits, and is answered again afterwards', async () => {
  const action = { id: newId('action'), capability_id: 'cap:demo:report', input: { seconds: 60 } };
  const waiting = testbed.central.send(action);
  await until('it runs', () => isJournaled(testbed, action.id));
  const cancel = await testbed.central.cancel(action.id, action.capability_id);
  const expected = {
    status: 200,
    signer: testbed.key.did,
    result: { action_id: action.id, status: 'cancelled', output: { cancelled: true } },
  };
  expect(await testbed.central.post(cancel)).toMatchObject(expected);
  expect(await waiting).toMatchObject(expected);
  expect(await testbed.central.post(cancel)).toMatchObject(expected);
  expect(await testbed.central.send(action)).toMatchObject(expected);
  const unknown = await testbed.central.post(await testbed.central.cancel(newId('action'), 'cap:demo:report'));
  expect(unknown).toMatchObject({ status: 502, signer: testbed.key.did, error: { code: 'connector_host.execution' } });
});

test('cancelling work that may have had an effect says that its outcome is uncertain', async () => {
  const action = { ...flaky('timeout'), timeout_ms: 60_000 };
  const waiting = testbed.central.send(action);
  await until('it was called', async () => (await callsOf(testbed, action.id)) === 1);
  const answer = await testbed.central.post(await testbed.central.cancel(action.id, action.capability_id));
  expect(answer.result).toMatchObject({
    status: 'cancelled',
    error: { code: 'connector.demo.cancelled', details: { uncertain_outcome: true } },
  });
  await waiting;
});

test('neither log nor answer carries bodies or secrets', async () => {
  const marker = newId('message');
  await testbed.central.send({ capability_id: 'cap:demo:echo', input: { text: marker } });
  await testbed.central.send({ capability_id: 'cap:demo:flaky', input: { mode: marker } });
  const log = JSON.stringify(testbed.host.lines());
  expect(log).not.toContain(marker);
  expect(log).not.toContain(testbed.databaseUrl);
});
