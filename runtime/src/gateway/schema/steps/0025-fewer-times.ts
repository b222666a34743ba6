/**
 * Times that retention alone goes by have no index that every action would write: replay claims are read as they lie, actions in the order of their
 * acceptance. A gateway of the release before reads whole tables for its passes on this schema.
 */
export const fewerTimes = {
  id: 25,
  name: 'fewer-times',
  sql: `
DROP INDEX runtime.replay_claims_expiry, runtime.actions_completed;
-- A range index has a summary of the pages that an empty table begins with, which each new row would widen until they are full.
SELECT brin_desummarize_range('runtime.audit_occurred', 0);
`,
} as const;
