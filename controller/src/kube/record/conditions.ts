import { isDeepStrictEqual } from 'node:util';
import { formatTime } from '@aip/runtime/internal/protocol';

/** A condition of a status, as Kubernetes writes it. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  /** The metadata.generation that was observed. */
  observedGeneration?: number;
  /** When the status last changed, RFC 3339. */
  lastTransitionTime?: string;
}

/** Conditions that are there only while they are true, as kstatus reads them: their absence is good news. */
export const ABNORMAL_TRUE: readonly string[] = ['Reconciling', 'Stalled'];

/** A condition as a reconciler observes it. */
export type Observed = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/**
 * The conditions to write, ordered by type: all that were observed, of the abnormal-true ones those that are not False. A condition keeps its
 * lastTransitionTime while its status stays as in `before`. `now` is ms since the epoch.
 */
export function mergeConditions(
  before: readonly Condition[] | undefined,
  observed: readonly Observed[],
  { generation, now }: { generation: number | undefined; now: number },
): Condition[] {
  const time = formatTime(Math.floor(now / 1000) * 1000);
  return observed
    .filter(({ type, status }) => status !== 'False' || !ABNORMAL_TRUE.includes(type))
    .map(({ type, status, reason, message }) => {
      const known = before?.find((condition) => condition.type === type);
      const lastTransitionTime = known?.status === status ? (known.lastTransitionTime ?? time) : time;
      const observedGeneration = generation === undefined ? {} : { observedGeneration: generation };
      return { type, status, reason, message, ...observedGeneration, lastTransitionTime };
    })
    .sort((a, b) => (a.type < b.type ? -1 : 1));
}

/**
 * Whether writing `wanted` would change nothing, so that it need not be written. Members that are undefined count as absent, the order of
 * conditions does not count, and conditions whose type is not in `ownConditions` belong to others and are not checked.
 */
export function sameStatus<S extends { conditions?: readonly Condition[] | undefined }>(
  current: S | undefined,
  wanted: S,
  ownConditions: readonly string[],
): boolean {
  const comparable = (status: S | undefined): unknown => {
    const own = (status?.conditions ?? []).filter(({ type }) => ownConditions.includes(type));
    const conditions = Object.fromEntries(own.map((condition) => [condition.type, condition]));
    return JSON.parse(JSON.stringify({ ...status, conditions }));
  };
  return isDeepStrictEqual(comparable(current), comparable(wanted));
}
