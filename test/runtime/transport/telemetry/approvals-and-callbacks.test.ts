import { afterAll, beforeAll, expect, test } from 'vitest';
import { expireApprovals } from '#runtime/gateway/approvals/expiry.js';
import { newId } from '#runtime/protocol/ids.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { startTelemetry } from '#runtime/transport/telemetry/telemetry.js';
import { freshDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';
import { admit, startTarget, startTestDeliverer, type Target } from '../../gateway/callbacks/support.ts';
import { capability, contractOf, startActions, type TestGateway } from '../../gateway/support/actions.ts';
import { approver, decide, decideDeps, policyOf, waitingAction } from '../../gateway/support/approvals.ts';
import { type Collector, startCollector } from './collector.ts';

const REFUND = 'cap:telemetry:refund';
const AGENT = { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7' };
const log = openLogger({ component: 'test', level: 'silent' });
const ends: (() => Promise<unknown>)[] = [];
let collector: Collector;
let gateway: TestGateway;
let target: Target;

beforeAll(async () => {
  collector = await startCollector();
  ends.push(() => collector.end());
  const source = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRIC_EXPORT_INTERVAL: '200' };
  ends.push(await startTelemetry(source, 'test', log));
  const database = await freshDatabase();
  ends.push(database.drop);
  target = await startTarget();
  ends.push(target.close);
  let wake = (): void => undefined;
  gateway = await startActions(
    database.url,
    [
      capability('cap:telemetry:work', async () => ({ done: true })),
      capability(REFUND, async () => ({}), { contract: contractOf({ approval: policyOf() }) }),
    ],
    Date.now,
    { callbacks: { admit, stored: () => wake() } },
  );
  ends.push(() => gateway.stop());
  const deliverer = startTestDeliverer(gateway.pool);
  wake = deliverer.wake;
  ends.push(deliverer.stop);
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

test.each([
  ['refused', 'failed', 'policy.approval_denied'],
  ['expired', 'expired', 'policy.approval_expired'],
] as const)('an action whose approval is %s is measured once, with its outcome', async (how, outcome, code) => {
  const { actionId, request } = await waitingAction(gateway, { capability_id: REFUND });
  if (how === 'refused') await decide(decideDeps(gateway), approver('human:lee'), request, { decision: 'denied' });
  else {
    await gateway.pool.query('UPDATE runtime.approvals SET expires_at = 1 WHERE approval_id = $1', [request.id]);
    const owner = { id: 'service:gateway', kind: 'service' } as const;
    expect(await expireApprovals({ pool: gateway.pool, clock: Date.now, log, gateway: owner })).toBe(1);
  }
  expect((await gateway.record(actionId)).state).toBe(outcome);
  const measured = await until('its duration is exported', async () =>
    (await collector.points()).findLast(
      ({ metric, attributes }) => metric === 'aip.action.duration' && attributes['aip.outcome'] === outcome,
    ),
  );
  expect(measured).toMatchObject({
    count: 1,
    unit: 's',
    attributes: { 'aip.capability_id': REFUND, 'aip.outcome': outcome, 'error.type': code },
  });
});

test('the message to a callback is a span of its action’s trace, and the target gets that span', async () => {
  const id = newId('action');
  await gateway.submit({
    id,
    capability_id: 'cap:telemetry:work',
    mode: 'async',
    callback: target.callback,
    observability: AGENT,
  });
  const span = await until('the delivery is exported', async () =>
    (await collector.spans()).find(
      ({ name, attributes }) => name === 'aip.callback.deliver' && attributes['aip.action_id'] === id,
    ),
  );
  expect(span).toMatchObject({
    traceId: AGENT.trace_id,
    failed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': 204,
      'server.address': '127.0.0.1',
      'aip.message_type': 'aip.core.v1.action_result',
    },
  });
  expect(target.received.map(({ headers }) => headers.traceparent)).toEqual([`00-${AGENT.trace_id}-${span.spanId}-01`]);
  expect(JSON.stringify(span)).not.toContain('/callback');
});
