import type { Logger } from '@aip/runtime/internal/program';
import { pollLoop } from '@aip/runtime/internal/time';
import { keyOf } from '../../api/metadata.js';
import { connectorInstanceId } from '../../api/names.js';
import type { KubeMetrics } from '../../kube/metrics.js';
import type { EventRecorder } from '../../kube/record/events.js';
import { createWorkQueue } from '../../kube/run/work-queue.js';
import type { ClusterContext } from '../context.js';
import { failureOf } from '../instance/failure.js';
import { reconcileInstance } from '../instance/reconcile-instance.js';
import { watchLiveness } from '../observed/liveness.js';
import { type ClusterView, openView } from '../observed/view.js';
import type { TrustKeeper } from '../trust/converge.js';
import { renewLeaves } from '../trust/renew-leaves.js';
import { watchRegistry } from './registry-watch.js';

/** Longest pause before an instance whose reconcile failed is tried again, in ms. */
const MAX_RETRY_MS = 60_000;

/** What the leader works with. */
export interface LeaderDeps {
  cluster: Omit<ClusterContext, 'trustIn' | 'withoutTrust'>;
  /** Namespaces with instances; empty for all. */
  watchNamespaces: readonly string[];
  rules: { tenancy: 'annotated' | 'open'; allowImageTags: boolean };
  events: EventRecorder;
  metrics: KubeMetrics;
  workers: number;
  /** Everything is checked again after this time even when nothing was reported, moved at random up to half as long again, in ms. */
  resyncMs: number;
  /** Sets what is called when the address of the database changed, which hosts have to be given. */
  onAddressChange(listener: () => void): void;
  /** Called when the work has begun, with what says whether it still makes progress: false when the API server was silent for minutes. */
  began(healthy: () => boolean): void;
  /** Keeps the fleet's trust until the signal aborts. */
  keepTrust(view: ClusterView, signal: AbortSignal): TrustKeeper;
  clock: () => number;
  log: Logger;
}

/** The work of the leader: follows the API server and the registry, and brings each instance to what it should be. Ends when the signal aborts. */
export async function lead(deps: LeaderDeps, signal: AbortSignal): Promise<void> {
  const { metrics, log } = deps;
  const cluster: ClusterContext = {
    ...deps.cluster,
    trustIn: async (namespace) => trust?.inNamespace(namespace),
    withoutTrust: async (namespace) => {
      const others = view.instances().filter(({ metadata }) => metadata.namespace === namespace);
      if (others.length <= 1 && namespace !== deps.cluster.releaseNamespace) await trust?.leave(namespace);
    },
  };
  const queue = createWorkQueue({ rule: { maxMs: MAX_RETRY_MS }, hooks: metrics.queue('instance') });
  let trust: TrustKeeper | undefined;
  const view = openView({
    kube: cluster.kube,
    releaseId: cluster.releaseId,
    namespaces: deps.watchNamespaces.length === 0 ? 'all' : deps.watchNamespaces,
    log,
    hooks: (kind) => metrics.informer(kind),
    changed: (key) => {
      queue.add(key);
      trust?.changed();
    },
    childChanged: (kind, ref, after) => cluster.ensure.changed(kind, ref, after?.metadata.resourceVersion),
  });
  signal.addEventListener('abort', () => view.stop(), { once: true });
  deps.began(watchLiveness(view, signal));
  await Promise.race([view.synced, aborted(signal)]);
  if (signal.aborted) return;
  trust = deps.keepTrust(view, signal);
  await Promise.race([trust.ready, aborted(signal)]);

  const addByRegistryId = (instanceId: string): void => {
    for (const instance of view.instances())
      if (connectorInstanceId(instance, instance.metadata.uid as string) === instanceId) queue.add(keyOf(instance));
  };
  deps.onAddressChange(() => {
    for (const instance of view.instances()) queue.add(keyOf(instance));
  });
  const resync = async (): Promise<void> => {
    cluster.ensure.forget();
    for (const instance of view.instances()) queue.add(keyOf(instance));
  };
  await Promise.all([
    queue.run({
      workers: deps.workers,
      signal,
      handler: async (key) => {
        const { againMs } = await reconcileInstance(key, { ...deps, cluster, view }, signal);
        return { requeueAfterMs: againMs };
      },
      failed: (key, error, failures, retryMs) => {
        const { passing, reason, message } = failureOf(error);
        if (passing) log.debug({ instance: key, failures, retryMs }, 'conflict; reconciling again');
        // The stack is of use once; further tries say that it continues, and why.
        else if (failures <= 1) log.warn({ instance: key, err: error, reason, retryMs }, 'reconcile failed');
        else log.warn({ instance: key, reason, detail: message, failures, retryMs }, 'reconcile failed');
      },
    }),
    watchRegistry({
      registry: cluster.registry,
      changed: addByRegistryId,
      loads: metrics.instances,
      failed: metrics.registryFailed,
      clock: deps.clock,
      log,
      signal,
    }),
    pollLoop(resync, { signal, everyMs: () => deps.resyncMs * (1 + Math.random() / 2), pauseFirst: true }),
    renewLeaves({ view, cluster, issuer: trust.issuer, clock: deps.clock, log, signal }),
    trust.ended,
  ]);
  view.stop();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
