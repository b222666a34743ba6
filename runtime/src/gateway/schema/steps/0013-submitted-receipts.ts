/** Receipt chains of other parties, which are kept as they were submitted. */
export const submittedReceipts = {
  id: 13,
  name: 'submitted-receipts',
  sql: `
-- Apart from runtime.receipts, so that no sender writes into a chain of this server. tenant_key is the tenant's id, empty outside every tenant.
CREATE TABLE runtime.submitted_chains (
  chain_id text COLLATE "C" NOT NULL,
  tenant_key text COLLATE "C" NOT NULL,
  principal_id text COLLATE "C" NOT NULL,
  receipt_ids text[] COLLATE "C" NOT NULL,
  record json NOT NULL,
  submitted_at bigint NOT NULL,
  PRIMARY KEY (chain_id, tenant_key)
);
CREATE INDEX submitted_chains_receipts ON runtime.submitted_chains USING gin (receipt_ids);
`,
} as const;
