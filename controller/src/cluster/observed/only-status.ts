import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../kube/kube.js';
import type { Condition } from '../../kube/record/conditions.js';

type WithStatus = KubeObject & { status?: { conditions?: readonly Pick<Condition, 'type'>[] | undefined } | undefined };

/**
 * Whether two states of one object differ in nothing but the status that this controller writes itself: such a change is its own doing,
 * and would end the back-off of an instance whose failure is written with another text each time.
 */
export function onlyStatusChanged(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  ownConditions: readonly string[],
): boolean {
  if (!before || !after) return false;
  const content = (object: WithStatus): unknown => {
    const { metadata, status, ...rest } = object;
    const { resourceVersion: _, ...marks } = metadata;
    const others = (status?.conditions ?? []).filter(({ type }) => !ownConditions.includes(type));
    return [rest, marks, others];
  };
  return isDeepStrictEqual(content(before), content(after));
}
