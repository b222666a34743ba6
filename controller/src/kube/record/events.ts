import type { Logger } from '@aip/runtime/internal/program';
import { type Clock, systemClock } from '@aip/runtime/internal/protocol';
import { doubling, retry } from '@aip/runtime/internal/time';
import { createRecentMap } from '../cache/recent-map.js';
import { KubeConflict, KubeNotFound, KubeUnavailable } from '../client/errors.js';
import { EVENT } from '../kinds.js';
import type { Kube, KubeObject } from '../kube.js';
import { microTime } from '../micro-time.js';
import { createTokenBucket, type TokenBucket } from '../run/token-bucket.js';
import { eventOf, type Happening, type KubeEvent, SERIES_MS, seriesKey } from './event-record.js';

/** Objects and series that are remembered. */
const REMEMBERED = 4096;
/** Writes that may wait; more are dropped, as events must never be a burden. */
const MAX_WAITING = 1000;
/** Events about one object: so many at once, then one in five minutes. */
const OBJECT_RATE = { burst: 25, perSecond: 1 / 300 };

/** Reports what happened to objects, as Events of the API server. */
export interface EventRecorder {
  /** Writes in the background. Never throws: what cannot be written is logged, and what comes too often is left out. */
  record(regarding: KubeObject, happening: Happening): void;
  /** Resolves when all that was recorded so far has been written or given up. */
  flush(): Promise<void>;
}

/** One event that may happen again. */
interface Series {
  event: KubeEvent;
  /** Occurrences in all, and how many of them the API server knows of: 0 while it has no such event. */
  count: number;
  written: number;
  /** Ms since the epoch. */
  lastAt: number;
  waiting: boolean;
}

/** Opens a recorder. `controller` is a qualified name such as `fleet.aip.dev/controller`, `instance` names this process. */
export function openEventRecorder(options: {
  kube: Pick<Kube, 'create' | 'get' | 'merge'>;
  controller: string;
  instance: string;
  log: Logger;
  clock?: Clock;
}): EventRecorder {
  const { kube, controller, instance, log, clock = systemClock } = options;
  const known = createRecentMap<Series>(REMEMBERED);
  const rates = createRecentMap<TokenBucket>(REMEMBERED);
  const waiting: Series[] = [];
  let writing: Promise<void> | undefined;

  const mayReport = (regarding: KubeObject): boolean => {
    const key = regarding.metadata.uid ?? `${regarding.metadata.namespace}/${regarding.metadata.name}`;
    const bucket = rates.get(key) ?? createTokenBucket(OBJECT_RATE);
    rates.set(key, bucket);
    return bucket.tryTake();
  };
  const seriesOf = (regarding: KubeObject, happening: Happening, now: number): Series => {
    const key = seriesKey(regarding, happening);
    const last = known.get(key);
    if (last && now - last.lastAt < SERIES_MS) return last;
    const event = eventOf(regarding, happening, { controller, instance, now });
    const series = { event, count: 0, written: 0, lastAt: now, waiting: false };
    known.set(key, series);
    return series;
  };
  const create = async (series: Series): Promise<void> => {
    const ref = series.event.metadata;
    try {
      await kube.create(EVENT, series.event);
      series.written = 1;
    } catch (error) {
      if (!(error instanceof KubeConflict)) throw error;
      // A predecessor of this process began the series.
      const there = await kube.get<KubeEvent>(EVENT, ref);
      if (!there) throw new KubeUnavailable(0, 'Race', `Event ${ref.name} came and went`);
      series.written = there.series?.count ?? 1;
      series.count += series.written;
    }
  };
  const write = async (series: Series): Promise<void> => {
    if (series.written === 0) await create(series);
    const { count, lastAt } = series;
    if (series.written === count) return;
    const lastObservedTime = microTime(lastAt);
    try {
      await kube.merge(EVENT, series.event.metadata, { series: { count, lastObservedTime } });
      series.written = count;
    } catch (error) {
      if (!(error instanceof KubeNotFound)) throw error;
      // The API server keeps events for an hour: the series starts again.
      series.event = { ...series.event, eventTime: lastObservedTime };
      series.count = 1;
      await create(series);
    }
  };
  const writeAll = async (): Promise<void> => {
    for (let series = waiting.shift(); series; series = waiting.shift()) {
      const next = series;
      next.waiting = false;
      try {
        await retry(() => write(next), {
          attempts: 3,
          delayMs: doubling(200, 1000),
          retryable: (error) => error instanceof KubeUnavailable,
        });
      } catch (error) {
        const { reason, regarding } = next.event;
        log.warn({ err: error, reason, kind: regarding.kind, name: regarding.name }, 'an event could not be written');
      }
    }
    writing = undefined;
  };

  return {
    record: (regarding, happening) => {
      if (!mayReport(regarding)) return;
      const now = clock();
      const series = seriesOf(regarding, happening, now);
      series.count += 1;
      series.lastAt = now;
      if (series.waiting) return;
      if (waiting.length >= MAX_WAITING) {
        log.warn({ reason: happening.reason }, 'too many events wait: one is left out');
        return;
      }
      series.waiting = true;
      waiting.push(series);
      writing ??= writeAll();
    },
    flush: () => writing ?? Promise.resolve(),
  };
}
