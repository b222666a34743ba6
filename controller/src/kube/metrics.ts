import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { InformerHooks } from './cache/informer.js';
import type { TransportHooks } from './client/transport.js';
import type { QueueHooks } from './run/work-queue.js';

/** Upper bounds of time buckets, in seconds. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What the hosts of an instance run, and could. */
export interface InstanceLoad {
  namespace: string;
  instance: string;
  /** Actions that are assigned to its hosts. */
  actions: number;
  /** Actions that its ready hosts run at once. */
  capacity: number;
}

/** Makes the hooks that put work with the API server into a Prometheus registry. */
export interface KubeMetrics {
  queue(name: string): QueueHooks;
  informer(kind: string): InformerHooks;
  transport: TransportHooks;
  /** A check of the registry failed. */
  registryFailed(): void;
  /** What the hosts of each instance run, as of one check of the registry; an instance that is not named has no series any more. */
  instances(loads: Iterable<InstanceLoad>): void;
  /** The `onChange` of an election. */
  leader(lease: string): (leading: boolean) => void;
}

/** Registers the families in `registry`; once a registry. */
export function openKubeMetrics(registry: Registry): KubeMetrics {
  const registers = [registry];
  const queue = queueFamilies(registers);
  const informer = informerFamilies(registers);
  const requests = new Counter({
    name: 'aip_controller_api_requests_total',
    help: 'Requests to the API server, by its own verb and resource. Status 0: no whole answer came.',
    labelNames: ['verb', 'resource', 'status'] as const,
    registers,
  });
  const registryFailures = new Counter({
    name: 'aip_controller_registry_failures_total',
    help: 'Reads of the registry, one a second, that failed.',
    registers,
  });
  const instances = instanceFamilies(registers);
  const leading = new Gauge({
    name: 'aip_controller_leader',
    help: '1 while this process is the leader.',
    labelNames: ['lease'] as const,
    registers,
  });

  return {
    queue,
    informer,
    transport: {
      answered: ({ verb, resource }, status) => requests.inc({ verb, resource, status }),
    },
    registryFailed: () => registryFailures.inc(),
    instances,
    leader: (lease) => {
      leading.set({ lease }, 0);
      return (is) => leading.set({ lease }, is ? 1 : 0);
    },
  };
}

function queueFamilies(registers: Registry[]): KubeMetrics['queue'] {
  const labelNames = ['queue'] as const;
  const depth = new Gauge({
    name: 'aip_controller_queue_depth',
    help: 'Keys that wait for a worker.',
    labelNames,
    registers,
  });
  const retries = new Counter({
    name: 'aip_controller_queue_retries_total',
    help: 'Keys that came back after a failure.',
    labelNames,
    registers,
  });
  const waited = new Histogram({
    name: 'aip_controller_queue_wait_seconds',
    help: 'How long keys waited for a worker.',
    labelNames,
    buckets: BUCKETS,
    registers,
  });
  const took = new Histogram({
    name: 'aip_controller_reconcile_seconds',
    help: 'How long the work of a key took.',
    labelNames: ['queue', 'result'] as const,
    buckets: BUCKETS,
    registers,
  });
  return (queue) => ({
    depth: (keys) => depth.set({ queue }, keys),
    retried: () => retries.inc({ queue }),
    started: (ms) => waited.observe({ queue }, ms / 1000),
    ended: (ms, failed) => took.observe({ queue, result: failed ? 'failure' : 'success' }, ms / 1000),
  });
}

function informerFamilies(registers: Registry[]): KubeMetrics['informer'] {
  const labelNames = ['kind'] as const;
  const objects = new Gauge({
    name: 'aip_controller_informer_objects',
    help: 'Objects in the local copy.',
    labelNames,
    registers,
  });
  const lists = new Counter({
    name: 'aip_controller_informer_lists_total',
    help: 'Full lists read from the API server.',
    labelNames,
    registers,
  });
  const failures = new Counter({
    name: 'aip_controller_informer_failures_total',
    help: 'Lists and watches that failed.',
    labelNames,
    registers,
  });
  return (kind) => ({
    objects: (count) => objects.set({ kind }, count),
    listed: () => lists.inc({ kind }),
    failed: () => failures.inc({ kind }),
  });
}

function instanceFamilies(registers: Registry[]): KubeMetrics['instances'] {
  const labelNames = ['namespace', 'instance'] as const;
  const actions = new Gauge({
    name: 'aip_controller_instance_actions',
    help: 'Actions assigned to hosts of an instance; the leader alone has it.',
    labelNames,
    registers,
  });
  const capacity = new Gauge({
    name: 'aip_controller_instance_capacity',
    help: 'Actions that the ready hosts of an instance run at once; the leader alone has it.',
    labelNames,
    registers,
  });
  return (loads) => {
    actions.reset();
    capacity.reset();
    for (const { namespace, instance, ...load } of loads) {
      actions.set({ namespace, instance }, load.actions);
      capacity.set({ namespace, instance }, load.capacity);
    }
  };
}
