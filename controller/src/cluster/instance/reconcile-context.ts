import type { EventRecorder } from '../../kube/record/events.js';
import type { ClusterContext } from '../context.js';
import type { ClusterView } from '../observed/view.js';

/** What a reconcile works with. */
export interface ReconcileContext {
  view: ClusterView;
  cluster: ClusterContext;
  events: Pick<EventRecorder, 'record'>;
  rules: { tenancy: 'annotated' | 'open'; allowImageTags: boolean };
  clock: () => number;
}
