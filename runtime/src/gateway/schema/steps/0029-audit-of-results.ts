/**
 * The audit event of a result is in the row of its event, until retention removes that and keeps the audit event. A gateway of the release before
 * writes audit events of results into their own table, and does not show those that are here.
 */
export const auditOfResults = {
  id: 29,
  name: 'audit-of-results',
  sql: `
-- The audit event of the result that this event tells of; null: it is in runtime.audit, or the event tells of no result.
ALTER TABLE runtime.events ADD COLUMN audit json;
`,
} as const;
