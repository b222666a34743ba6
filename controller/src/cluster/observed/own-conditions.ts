/** Conditions of an instance that this controller writes; others' stay. */
export const INSTANCE_CONDITIONS: readonly string[] = ['Ready', 'Admitted', 'Bound', 'Reconciling', 'Stalled'];
/** Conditions of a replica that this controller writes; others' stay. */
export const REPLICA_CONDITIONS: readonly string[] = ['Provisioned', 'Registered', 'Ready'];
