import type { Logger } from '@aip/runtime/internal/program';
import { doubling, jittered, pollLoop, waited, withDeadline } from '@aip/runtime/internal/time';
import { KubeForbidden, KubeGone, KubeNotFound } from '../client/errors.js';
import type { Kube, KubeObject, ListOptions, ResourceKind } from '../kube.js';

/** Periods of following a kind, in ms. */
export interface FollowTiming {
  /** A watch that brings nothing for this long, not even a bookmark (about one a minute), is taken for dead. */
  idleMs: number;
  /** Everything is listed again this often, whatever the watch said. */
  relistMs: number;
  /** Pause after a failure, doubled with every further one. */
  firstBackoffMs: number;
  maxBackoffMs: number;
}

/** What suits a controller. */
export const FOLLOW_TIMING: FollowTiming = {
  idleMs: 120_000,
  relistMs: 600_000,
  firstBackoffMs: 200,
  maxBackoffMs: 30_000,
};

/** A watch that ends within this time and reported nothing new counts as a failure, or a broken server would be asked without end. */
const SHORT_WATCH_MS = 1000;

/** After so many failures in a row everything is listed again. */
const FAILURES_UNTIL_LIST = 5;

/** Takes what is known of the objects. */
export interface Sink<T> {
  /** The whole current state. */
  replace(items: T[]): void;
  put(object: T): void;
  remove(object: T): void;
}

/** What a reflector reports about its work; for metrics. */
export interface ReflectorHooks {
  listed?(): void;
  failed?(): void;
}

/** Keeps a sink equal to what the API server has. */
export interface Reflector {
  /** Resolves after the first list, or its refusal in a namespace that goes. */
  readonly synced: Promise<void>;
  /** When the API server last sent something, by the monotonic clock; undefined before `synced`. */
  heardAt(): number | undefined;
  /** Ends it: the sink is not called any more. */
  stop(): void;
}

/** Lists, then watches from the list's version, and lists again when that version is gone, the watch fell silent, or it is time to. */
export function startReflector<T extends KubeObject>(options: {
  kube: Pick<Kube, 'list' | 'watch'>;
  kind: ResourceKind;
  which: ListOptions;
  /** Whether the namespace goes or is gone, and the right to read it with it: what is refused then counts as empty. */
  isLeft?: (() => boolean) | undefined;
  sink: Sink<T>;
  timing: FollowTiming;
  log: Logger;
  hooks?: ReflectorHooks | undefined;
}): Reflector {
  const { kube, kind, which, isLeft = () => false, sink, timing, log, hooks } = options;
  const stopping = new AbortController();
  const synced = Promise.withResolvers<void>();
  const backoff = doubling(timing.firstBackoffMs, timing.maxBackoffMs);
  let heardAt: number | undefined;
  let version: string | undefined;
  let relistAt = 0;
  let failures = 0;

  const list = async (): Promise<void> => {
    const { items, resourceVersion } = await kube.list<T>(kind, which);
    if (stopping.signal.aborted) return;
    heardAt = performance.now();
    relistAt = heardAt + jittered(timing.relistMs, 0.2);
    version = resourceVersion;
    sink.replace(items);
    hooks?.listed?.();
    synced.resolve();
  };
  const empty = (): void => {
    heardAt = performance.now();
    version = undefined;
    sink.replace([]);
    synced.resolve();
  };
  const take = (type: string, object: T): void => {
    if (type === 'DELETED') sink.remove(object);
    else if (type !== 'BOOKMARK') sink.put(object);
  };
  /** Returns whether the watch was of use. */
  const watch = async (from: string): Promise<boolean> => {
    const startedAt = performance.now();
    let lastAt = startedAt;
    const relist = withDeadline(stopping.signal, Math.max(1, Math.ceil(relistAt - startedAt)));
    const { signal } = relist;
    try {
      const events = kube.watch<T>(kind, { ...which, resourceVersion: from, signal, idleMs: timing.idleMs });
      for await (const { type, object } of events) {
        if (stopping.signal.aborted) return true;
        lastAt = performance.now();
        heardAt = lastAt;
        const { resourceVersion = '' } = object.metadata;
        if (!isLater(resourceVersion, version ?? from)) continue;
        take(type, object);
        version = resourceVersion || version;
      }
    } finally {
      relist.clear();
    }
    const endedAt = performance.now();
    const useful = version !== from || endedAt - startedAt >= SHORT_WATCH_MS || signal.aborted;
    if (endedAt - lastAt >= timing.idleMs) version = undefined;
    return useful;
  };
  /** The pause before it is followed again: none after a watch of use. */
  let waitMs = 0;
  const failed = (): void => {
    hooks?.failed?.();
    // A server reports nothing about a version that it has not reached, as after a restored backup.
    if (failures >= FAILURES_UNTIL_LIST) version = undefined;
    waitMs = jittered(backoff(failures), 0.2);
    failures += 1;
  };
  const follow = async (): Promise<void> => {
    if (version === undefined || performance.now() >= relistAt) await list();
    if (stopping.signal.aborted || version === undefined) return;
    if (await watch(version)) {
      failures = 0;
      waitMs = 0;
      return;
    }
    log.debug({ kind: kind.kind, namespace: which.namespace }, 'a watch ended as soon as it began');
    failed();
  };
  void pollLoop(follow, {
    signal: stopping.signal,
    everyMs: () => waitMs,
    pause: async (ms, signal) => ms === 0 || waited(ms, signal),
    failed: (error) => {
      if (stopping.signal.aborted) return;
      if (error instanceof KubeGone) version = undefined;
      else if ((error instanceof KubeForbidden || error instanceof KubeNotFound) && isLeft()) empty();
      else log.warn({ err: error, kind: kind.kind, namespace: which.namespace, failures }, 'following a kind failed');
      failed();
    },
  });
  return { synced: synced.promise, heardAt: () => heardAt, stop: () => stopping.abort() };
}

/** Whether an event is new to one who knows all up to `known`: a repeated one must not bring a deleted object back. Versions are growing decimals. */
function isLater(version: string, known: string): boolean {
  if (!/^\d+$/.test(version) || !/^\d+$/.test(known)) return version !== known;
  return version.length === known.length ? version > known : version.length > known.length;
}
