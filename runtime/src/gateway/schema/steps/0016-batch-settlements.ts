/** Batches that other parties settled, which are kept as they were submitted. */
export const batchSettlements = {
  id: 16,
  name: 'batch-settlements',
  sql: `
-- tenant_key is the tenant's id, empty outside every tenant.
CREATE TABLE runtime.batch_settlements (
  settlement_id text COLLATE "C" NOT NULL,
  tenant_key text COLLATE "C" NOT NULL,
  principal_id text COLLATE "C" NOT NULL,
  record json NOT NULL,
  submitted_at bigint NOT NULL,
  PRIMARY KEY (settlement_id, tenant_key)
);
`,
} as const;
