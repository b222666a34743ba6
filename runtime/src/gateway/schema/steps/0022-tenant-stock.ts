import { COUNT_STOCK } from '../../records/stock/kinds.js';

/** What each tenant has stored of the records that clients send, counted as rows come and go, and what finds records that ended. */
export const tenantStock = {
  id: 22,
  name: 'tenant-stock',
  sql: `
-- The sum of the parts is what a tenant has of a kind of record; tenant_key is the tenant's id, empty outside every tenant.
CREATE TABLE runtime.tenant_stock (
  tenant_key text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  records bigint NOT NULL,
  bytes bigint NOT NULL,
  part bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (tenant_key, kind, part)
) WITH (fillfactor = 50);
${COUNT_STOCK}
CREATE INDEX approvals_ended ON runtime.approvals (updated_at) WHERE status <> 'pending';
CREATE INDEX submitted_chains_submitted ON runtime.submitted_chains (submitted_at);
CREATE INDEX batch_settlements_submitted ON runtime.batch_settlements (submitted_at);
`,
};
