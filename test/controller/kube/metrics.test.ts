import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { openKubeMetrics } from '#controller/kube/metrics.js';

test('queue, informer, requests and election appear with their names', async () => {
  const registry = new Registry();
  const metrics = openKubeMetrics(registry);
  const queue = metrics.queue('instances');
  queue.depth?.(3);
  queue.retried?.();
  queue.started?.(20);
  queue.ended?.(40, true);
  const informer = metrics.informer('Pod');
  informer.objects?.(7);
  informer.listed?.();
  informer.failed?.();
  metrics.transport.answered?.({ verb: 'APPLY', resource: 'connectorinstances/status' }, 200);
  metrics.registryFailed();
  const leader = metrics.leader('controller');
  expect(await registry.metrics()).toContain('aip_controller_leader{lease="controller"} 0');
  leader(true);
  const text = await registry.metrics();
  for (const line of [
    'aip_controller_queue_depth{queue="instances"} 3',
    'aip_controller_queue_retries_total{queue="instances"} 1',
    'aip_controller_queue_wait_seconds_bucket{le="0.025",queue="instances"} 1',
    'aip_controller_reconcile_seconds_sum{queue="instances",result="failure"} 0.04',
    'aip_controller_informer_objects{kind="Pod"} 7',
    'aip_controller_informer_lists_total{kind="Pod"} 1',
    'aip_controller_informer_failures_total{kind="Pod"} 1',
    'aip_controller_api_requests_total{verb="APPLY",resource="connectorinstances/status",status="200"} 1',
    'aip_controller_registry_failures_total 1',
    'aip_controller_leader{lease="controller"} 1',
  ]) {
    expect(text).toContain(line);
  }
});
