import type { ClusterView } from './view.js';

/** A leader that has begun may take this long to read everything, in ms. */
const BEGINNING_MS = 240_000;

/**
 * Whether the leader still makes progress: false when the API server, whose lease it can renew, was silent for minutes, so that only a new
 * process helps. Work that was asked to end counts as progress. `now` gives ms of a monotonic clock.
 */
export function watchLiveness(
  view: Pick<ClusterView, 'healthy'>,
  signal: AbortSignal,
  now: () => number = () => performance.now(),
): () => boolean {
  const beganAt = now();
  return () => signal.aborted || view.healthy() || now() - beganAt < BEGINNING_MS;
}
