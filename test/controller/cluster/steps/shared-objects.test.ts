import { expect, test } from 'vitest';
import type { ClusterContext } from '#controller/cluster/context.js';
import { ensureSharedObjects } from '#controller/cluster/steps/shared-objects.js';
import { instanceLike } from '../support.ts';

test.each([
  [true, ['Service', 'PodDisruptionBudget', 'NetworkPolicy'], []],
  [false, ['Service', 'PodDisruptionBudget'], ['NetworkPolicy acme/support']],
])(
  'with network policies %s the policy of an instance is there, or what an earlier setting made is removed',
  async (networkPolicy, kept, gone) => {
    const applied: string[] = [];
    const removed: string[] = [];
    const cluster = {
      networkPolicy,
      releaseNamespace: 'aip',
      ensure: {
        applied: async (kind: { kind: string }) => {
          applied.push(kind.kind);
        },
        removed: async (kind: { kind: string }, _owner: unknown, ref: { namespace: string; name: string }) => {
          removed.push(`${kind.kind} ${ref.namespace}/${ref.name}`);
        },
      },
    } as unknown as ClusterContext;
    await ensureSharedObjects(instanceLike({}, { name: 'support' }), cluster);
    expect({ applied, removed }).toEqual({ applied: kept, removed: gone });
  },
);
