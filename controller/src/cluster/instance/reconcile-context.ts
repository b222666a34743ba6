import type { EventRecorder } from '../../kube/record/events.js';
import type { ClusterMachine } from '../process/context.js';
import type { ClusterView } from './view.js';

/** What a round works with. */
export interface RoundDeps {
  view: ClusterView;
  machine: ClusterMachine;
  events: Pick<EventRecorder, 'record'>;
  rules: { tenancy: 'annotated' | 'open'; allowImageTags: boolean };
  clock: () => number;
}
