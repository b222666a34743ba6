/** A further way for a dispatch to end: no host was reached, so that nothing began, and that counts for the circuit of the replica. */
export const unreachedSettlement = {
  id: 2,
  name: 'unreached',
  sql: `
ALTER TABLE registry.assignments DROP CONSTRAINT assignments_settlement_check;
ALTER TABLE registry.assignments ADD CONSTRAINT assignments_settlement_check
  CHECK (settlement IN ('completed', 'outcome_unknown', 'cancelled', 'refused', 'unreached', 'lease_expired'));
`,
} as const;
