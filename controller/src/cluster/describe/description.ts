import { DESCRIBE_CONTAINER } from '../objects/describe-pod.js';
import type { Pod } from '../objects/host-pod.js';

/** Reasons of a waiting container that only another image, or another spec, fixes. */
export const IMAGE_REASONS: readonly string[] = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
];

/** How far the Pod that describes a connector has come. */
export type DescribeProgress =
  | { state: 'running' }
  | { state: 'succeeded' }
  /** Its program ended with an error of its own. */
  | { state: 'refused' }
  /** It was ended from outside: worth another try. */
  | { state: 'interrupted'; message: string }
  /** It can't start until something changes; it continues on its own then. */
  | { state: 'blocked'; reason: string; message: string };

/** Reads the progress from a Pod. Pure. */
export function describeProgress(pod: Pod): DescribeProgress {
  const { phase, reason, message, conditions = [], containerStatuses = [] } = pod.status ?? {};
  if (phase === 'Succeeded') return { state: 'succeeded' };
  const container = containerStatuses.find(({ name }) => name === DESCRIBE_CONTAINER);
  const ended = container?.state?.terminated;
  if (phase === 'Failed') {
    // Ends by a signal, an eviction or a lack of memory say nothing about the connector.
    if (ended && ended.exitCode < 128 && ended.reason !== 'OOMKilled') return { state: 'refused' };
    const why = [reason ?? ended?.reason, message ?? ended?.message].filter(Boolean).join(': ');
    return { state: 'interrupted', message: why || 'the Pod that asks the connector was ended' };
  }
  const waiting = container?.state?.waiting;
  if (waiting?.reason && IMAGE_REASONS.includes(waiting.reason))
    return {
      state: 'blocked',
      reason: 'ImagePullFailed',
      message: `the image cannot be pulled (${waiting.reason}): ${waiting.message ?? 'no details'}; check spec.connector.image and spec.pod.imagePullSecrets`,
    };
  if (waiting?.reason === 'CreateContainerConfigError' || waiting?.reason === 'CreateContainerError')
    return { state: 'blocked', reason: 'PodNotStarted', message: waiting.message ?? waiting.reason };
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled)
    return {
      state: 'blocked',
      reason: unscheduled.reason ?? 'Unschedulable',
      message: unscheduled.message ?? 'no node takes the Pod',
    };
  return { state: 'running' };
}
