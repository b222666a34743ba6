import express from 'express';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FAMILIES, STABLE_NAMES } from '#runtime/gateway/metrics/families.js';
import { openMetrics } from '#runtime/gateway/metrics/metrics.js';
import { metricsRoutes } from '#runtime/gateway/metrics/routes.js';
import { followSources } from '#runtime/gateway/metrics/sources.js';
import { openPool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { listen } from '#runtime/transport/http/server.js';
import { freshDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';
import { actionEnvelope } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/process.ts';

/** Samples of a scrape by their name with labels; throws on a line that is not of format 0.0.4. */
function samples(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || /^# (HELP|TYPE) [a-z_]+ .+$/.test(line)) continue;
    const match = /^([a-z_]+(?:\{[a-z_]+="[^"]*"\})?) (-?[\d.e+]+)$/.exec(line);
    if (!match) throw new Error(`no sample: ${line}`);
    found.set(match[1] as string, Number(match[2]));
  }
  return found;
}

const scrape = async (metrics: ReturnType<typeof openMetrics>) => samples((await metrics.render()).text);

describe('GET /metrics', () => {
  test('N-265 answers Prometheus text 0.0.4 under its content type, without authentication', async () => {
    const metrics = openMetrics();
    metrics.count('aip_actions_total');
    const app = express();
    app.use(metricsRoutes({ metrics } as Parameters<typeof metricsRoutes>[0]));
    const server = await listen(app, { host: '127.0.0.1', port: 0 });
    onTestFinished(() => server.close(0));
    const response = await fetch(`${server.url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    expect(text).toContain('# TYPE aip_actions_total counter\n');
    expect(samples(text)).toEqual(new Map([['aip_actions_total', 1]]));
  });

  test('N-266 shows nothing before a family is touched, and nothing but that family afterwards', async () => {
    const metrics = openMetrics();
    expect((await scrape(metrics)).size).toBe(0);
    metrics.count('aip_connector_fleet_maintenance_failures_total');
    expect([...(await scrape(metrics)).keys()]).toEqual(['aip_connector_fleet_maintenance_failures_total']);
  });

  test('N-267 a gateway process starts again to count what the one before it has counted', async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.drop());
    const headers = { authorization: 'Bearer owner', 'content-type': 'application/json' };
    const run = async (actions: number) => {
      const gateway = await startGatewayProcess({
        POSTGRES_URL: database.url,
        NATIVE_BEARER_TOKEN: 'owner',
        NATIVE_PRINCIPAL_SCOPES: '*',
      });
      onTestFinished(() => void gateway.child.kill('SIGKILL'));
      for (let n = 0; n < actions; n += 1) {
        const id = newId('action');
        const body = JSON.stringify(actionEnvelope({ id, mode: 'async' }));
        await fetch(`${gateway.url}/aip/v1/messages`, { method: 'POST', headers, body });
        await until('the worker ran it', async () => {
          const status = await (await fetch(`${gateway.url}/aip/v1/actions/${id}`, { headers })).json();
          return (status as { state: string }).state === 'completed';
        });
      }
      const found = samples(await (await fetch(`${gateway.url}/metrics`)).text());
      await gateway.end('SIGKILL');
      return [
        'aip_envelopes_received_total{message_type="aip.core.v1.action"}',
        'aip_actions_total',
        'aip_runtime_worker_claimed_actions_total',
      ].map((name) => found.get(name));
    };
    expect(await run(3)).toEqual([3, 3, 3]);
    expect(await run(1)).toEqual([1, 1, 1]);
  });

  test('N-273 N-309 N-310 labels envelopes by message type and writes no other label', async () => {
    const metrics = openMetrics();
    metrics.envelopeReceived('aip.core.v1.action');
    metrics.envelopeReceived('aip.core.v1.action');
    metrics.envelopeReceived('aip.core.v1.cancel');
    for (const [name, { type }] of Object.entries(FAMILIES)) {
      if (type === 'counter') metrics.count(name as keyof typeof FAMILIES);
      else metrics.set(name as keyof typeof FAMILIES, 1);
    }
    const found = await scrape(metrics);
    expect(found.get('aip_envelopes_received_total{message_type="aip.core.v1.action"}')).toBe(2);
    expect(found.get('aip_envelopes_received_total{message_type="aip.core.v1.cancel"}')).toBe(1);
    const labelled = [...found.keys()].filter((name) => name.includes('{'));
    expect(labelled.every((name) => name.startsWith('aip_envelopes_received_total{message_type='))).toBe(true);
    expect(found.size - labelled.length).toBe(Object.keys(FAMILIES).length);
  });

  test('N-311 N-312 declares eleven stable names, of which the scrape can show two', async () => {
    expect(new Set(STABLE_NAMES).size).toBe(11);
    const emitted = [...Object.keys(FAMILIES), 'aip_envelopes_received_total'];
    expect(STABLE_NAMES.filter((name) => emitted.includes(name))).toEqual([
      'aip_envelopes_received_total',
      'aip_actions_total',
    ]);
  });

  test('the families are those of the contract, and six of our own', () => {
    const pools = ['control', 'data'].flatMap((pool) =>
      ['connections', 'idle_connections', 'max_connections'].map(
        (what) => `aip_connector_registry_${pool}_pool_${what}`,
      ),
    );
    const names = [
      ...'daemon_ready gateway_ready runtime_worker_up nats_listener_up actions_total'.split(' '),
      ...'connector_fleet_ready_replicas connector_fleet_active_assignments'.split(' '),
      ...'connector_fleet_expired_replicas_total connector_fleet_maintenance_failures_total'.split(' '),
      ...'active queued queued_bytes active_tenants queued_tenants'
        .split(' ')
        .map((what) => `connector_remote_${what}`),
      ...'capacity available received_total accepted_total rejected_total'
        .split(' ')
        .map((what) => `connector_event_ingress_${what}`),
      ...'callback_capacity callback_available reconciliation_capacity reconciliation_available'
        .split(' ')
        .map((what) => `runtime_${what}`),
      ...'runtime_worker_cycles_total runtime_worker_claimed_actions_total'.split(' '),
      ...'events replay_claims dead_letters callback_deliveries outbox_records'
        .split(' ')
        .map((what) => `retention_${what}_deleted_total`),
    ].map((name) => `aip_${name}`);
    const ours = [
      'aip_connector_fleet_stranded_assignments_total',
      'aip_retention_actions_days',
      'aip_retention_route_assignments_deleted_total',
      'aip_retention_sessions_deleted_total',
      'aip_stored_actions',
      'aip_stored_actions_bytes',
    ];
    expect(Object.keys(FAMILIES).sort()).toEqual([...names, ...pools, ...ours].sort());
  });
});

describe('gauges that follow a state', () => {
  test('N-290 shows no remote family without a scheduler', async () => {
    const without = openMetrics();
    followSources(without, { ingress: { capacity: 128, available: () => 128 } });
    expect([...(await scrape(without)).keys()].filter((name) => name.includes('remote'))).toEqual([]);
  });

  test('N-285 N-286 N-287 N-288 N-289 shows the scheduler as it is at the scrape', async () => {
    const metrics = openMetrics();
    let queued = 2;
    const remote = () => ({ active: 1, queued, queuedBytes: 30, activeTenants: 1, queuedTenants: 2 });
    followSources(metrics, { remote });
    expect(Object.fromEntries(await scrape(metrics))).toEqual({
      aip_connector_remote_active: 1,
      aip_connector_remote_queued: 2,
      aip_connector_remote_queued_bytes: 30,
      aip_connector_remote_active_tenants: 1,
      aip_connector_remote_queued_tenants: 2,
    });
    queued = 5;
    expect((await scrape(metrics)).get('aip_connector_remote_queued')).toBe(5);
  });

  test('N-268 N-269 N-270 follows readiness, and leaves the gauges when it is unknown', async () => {
    const metrics = openMetrics();
    let ready = true;
    let broken = false;
    followSources(metrics, {
      readiness: async () => {
        if (broken) throw new Error('no');
        return { ready, gatewayReady: true, workerUp: ready, brokerListenerUp: false };
      },
    });
    const shown = async () => Object.fromEntries(await scrape(metrics));
    const up = { aip_daemon_ready: 1, aip_gateway_ready: 1, aip_runtime_worker_up: 1, aip_nats_listener_up: 0 };
    expect(await shown()).toEqual(up);
    ready = false;
    expect(await shown()).toEqual({ ...up, aip_daemon_ready: 0, aip_runtime_worker_up: 0 });
    broken = true;
    expect(await shown()).toEqual({ ...up, aip_daemon_ready: 0, aip_runtime_worker_up: 0 });
  });

  test('N-279 N-280 N-281 N-282 N-283 N-284 shows the connections of both pools, open, idle and at most', async () => {
    const database = await freshDatabase();
    const pools = { control: openPool({ url: database.url, max: 2 }), data: openPool({ url: database.url, max: 3 }) };
    onTestFinished(async () => {
      for (const pool of Object.values(pools)) await pool.close();
      await database.drop();
    });
    const metrics = openMetrics();
    followSources(metrics, { registryPools: pools });
    const shown = async (pool: string) => {
      const found = await scrape(metrics);
      return ['connections', 'idle_connections', 'max_connections'].map((what) =>
        found.get(`aip_connector_registry_${pool}_pool_${what}`),
      );
    };
    expect([await shown('control'), await shown('data')]).toEqual([
      [0, 0, 2],
      [0, 0, 3],
    ]);
    await pools.control.query('SELECT 1');
    await pools.data.tx(async (client) => {
      await client.query('SELECT 1');
      await pools.data.query('SELECT 1');
      expect([await shown('control'), await shown('data')]).toEqual([
        [1, 1, 2],
        [2, 1, 3],
      ]);
    });
    expect(await shown('data')).toEqual([2, 2, 3]);
  });

  test('shows the budgets and what is free of them', async () => {
    const metrics = openMetrics();
    const [callbacks, reconciliations] = [
      { capacity: 64, available: () => 63 },
      { capacity: 32, available: () => 30 },
    ];
    followSources(metrics, { callbacks, reconciliations });
    expect(Object.fromEntries(await scrape(metrics))).toEqual({
      aip_runtime_callback_capacity: 64,
      aip_runtime_callback_available: 63,
      aip_runtime_reconciliation_capacity: 32,
      aip_runtime_reconciliation_available: 30,
    });
  });
});
