import type { Logger } from '@aip/runtime/internal/program';
import type { Clock } from '@aip/runtime/internal/protocol';
import { openWaker, pollLoop } from '@aip/runtime/internal/time';
import type { ConnectorInstance } from '../../api/connector-instance.js';
import { ANNOTATIONS } from '../../api/group.js';
import type { Kube } from '../../kube/kube.js';
import { reconcileTrust, removeCopy, type TrustWanted } from '../../trust/reconcile-trust.js';
import type { TrustSettings } from '../../trust/settings.js';
import type { ClusterView } from '../observed/view.js';
import { openTrustChanges } from './changes.js';

/**
 * Trust is checked as often even when nothing was reported, in ms: requests for rotations are found by looking, since the controller may not
 * watch Secrets.
 */
const LOOK_MS = 15_000;

/** Copies in namespaces and tokens of operators are checked less often: 20 of them a minute, but all of them in this time, in ms. */
const WHOLE_MS = { each: 3_000, min: 60_000, max: 600_000 };

/** Keeps the fleet's trust while this process leads. */
export interface TrustKeeper {
  /** Resolves when authority and keys are there, whether or not the copies of other namespaces can be written. */
  readonly ready: Promise<void>;
  /** Resolves when the signal aborted and the last look ended. */
  readonly ended: Promise<void>;
  /** What is wanted may have changed: looks again soon. */
  changed(): void;
  /** Resolves when a namespace has its copy of what is trusted. */
  inNamespace(namespace: string): Promise<void>;
  /** Removes the copy of a namespace, whose last instance is removed. */
  leave(namespace: string): Promise<void>;
  /** Id of the authority that signed when it was last checked; undefined when there was none. */
  issuer(): string | undefined;
}

/** Looks again and again until the signal aborts. `isAllowed` says whether an instance may claim what it claims. */
export function keepTrust(
  {
    kube,
    clock,
    settings,
    log,
    isAllowed,
  }: {
    kube: Kube;
    clock: Clock;
    settings: TrustSettings;
    log: Logger;
    isAllowed(instance: ConnectorInstance): boolean;
  },
  view: ClusterView,
  signal: AbortSignal,
): TrustKeeper {
  const covered = new Set<string>();
  let tenants: readonly string[] = [];
  let replicaIssuers: readonly string[] = [];
  const changesOf = openTrustChanges();
  let issuer: string | undefined;
  let wakeAt: number | undefined;
  const waker = openWaker();
  let becomeReady: () => void = () => undefined;
  const ready = new Promise<void>((done) => {
    becomeReady = done;
  });

  let wholeAt = 0;
  const look = async (): Promise<number | undefined> => {
    const wanted = wantedTrust(view, isAllowed);
    const isNew = wanted.namespaces.some((namespace) => !covered.has(namespace)) || !sameList(wanted.tenants, tenants);
    const quick = !isNew && clock() < wholeAt;
    const deps = { kube, clock, releaseDone: becomeReady };
    const result = await reconcileTrust(deps, settings, { ...wanted, quick });
    if (!quick) wholeAt = clock() + (result.retrySoon ? WHOLE_MS.min : wholePauseMs(wanted));
    tenants = wanted.tenants;
    replicaIssuers = wanted.replicaIssuers;
    issuer = result.issuer;
    for (const step of result.steps) log.info({ step: step.do, reason: step.reason }, step.message);
    for (const { object, type, reason, message } of changesOf(result.observations, !quick))
      log[type === 'Stalled' ? 'warn' : 'info']({ object, reason }, message);
    covered.clear();
    for (const namespace of wanted.namespaces) covered.add(namespace);
    return result.wakeAt;
  };
  const reconcileOnce = async (): Promise<void> => {
    wakeAt = undefined;
    wakeAt = await look();
    becomeReady();
  };
  const ended = pollLoop(reconcileOnce, {
    signal,
    everyMs: () => Math.min(LOOK_MS, wakeAt === undefined ? LOOK_MS : Math.max(200, wakeAt - clock())),
    pause: waker.pause,
    failed: (error) => log.warn({ err: error }, 'trust reconciliation failed'),
  });
  const changed = (): void => {
    const wanted = wantedTrust(view, isAllowed);
    const isKnown =
      wanted.namespaces.every((namespace) => covered.has(namespace)) &&
      sameList(wanted.tenants, tenants) &&
      sameList(wanted.replicaIssuers, replicaIssuers);
    if (!isKnown) waker.wake();
  };
  return {
    ready,
    ended,
    changed,
    leave: async (namespace) => {
      covered.delete(namespace);
      await removeCopy(kube, settings, namespace);
    },
    inNamespace: async (namespace) => {
      if (!covered.has(namespace)) await look();
    },
    issuer: () => issuer,
  };
}

/** Time until copies and tokens are checked again, in ms: bounded in what it costs, however many there are. */
function wholePauseMs({ namespaces, tenants }: TrustWanted): number {
  return Math.min(WHOLE_MS.max, Math.max(WHOLE_MS.min, (namespaces.length + tenants.length) * WHOLE_MS.each));
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((entry) => b.includes(entry));
}

/** Where trust has to be, whose operators are needed, and whose signatures are in use. */
function wantedTrust(view: ClusterView, isAllowed: (instance: ConnectorInstance) => boolean): TrustWanted {
  const living = view.instances().filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const issuers = view.replicas().flatMap(({ metadata }) => metadata.annotations?.[ANNOTATIONS.leafIssuer] ?? []);
  return {
    namespaces: [...new Set(living.map(({ metadata }) => metadata.namespace))],
    tenants: [...new Set(living.filter(isAllowed).map(({ spec }) => spec.tenantId))],
    replicaIssuers: [...new Set(issuers)],
  };
}
