/** What retention finds submitted audit events by; those of this server are found in the order of their tenant's log. */
export const submittedAuditAge = {
  id: 24,
  name: 'submitted-audit-age',
  sql: `
CREATE INDEX audit_submitted_age ON runtime.audit (occurred_at) WHERE submitted;
`,
} as const;
