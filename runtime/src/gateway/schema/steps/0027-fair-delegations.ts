/** Deliveries that are due are found by tenant, so that those of one tenant's slow delegate keep no other waiting. */
export const fairDelegations = {
  id: 27,
  name: 'fair-delegations',
  sql: `
CREATE INDEX delegations_waiting ON runtime.delegations ((COALESCE(tenant_id, '')), next_attempt_at, seq) WHERE delivery = 'pending';
DROP INDEX runtime.delegations_due;
`,
} as const;
