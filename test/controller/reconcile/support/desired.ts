import type { InstanceInputs } from '#controller/reconcile/inputs.js';

/** An instance that wants two replicas of template `new`. */
export const DESIRED: InstanceInputs['desired'] = {
  name: 'demo',
  hosting: 'Managed',
  deleted: false,
  suspend: false,
  enabled: true,
  replicas: 2,
  template: 'new',
  configRevision: 1,
  bindings: [],
  maxSurge: 1,
  maxUnavailable: 0,
  drainTimeoutMs: 300_000,
  progressDeadlineMs: 600_000,
  external: [],
};

/** The name of a replica of the instance. */
export function nameOf(template: string, ordinal: number): string {
  return `demo-${template}-${ordinal}`;
}
