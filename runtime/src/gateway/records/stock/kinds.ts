/** A kind of record that clients store: its table, and the columns of the tenant and of the document whose bytes count. */
interface StockTable {
  readonly table: string;
  readonly tenant: 'tenant_id' | 'tenant_key';
  readonly document: string;
  /** Counts the rows for which this column is true alone. */
  readonly only?: string;
}

/**
 * Every kind of record that a client stores beside its actions, whose number is bounded for each tenant. Migration tenant-stock is made of
 * it: a further kind needs one of its own.
 */
export const STOCK_TABLES = {
  approvals: { table: 'approvals', tenant: 'tenant_id', document: 'request' },
  batch_settlements: { table: 'batch_settlements', tenant: 'tenant_key', document: 'record' },
  delegations: { table: 'delegations', tenant: 'tenant_id', document: 'request' },
  escalations: { table: 'escalations', tenant: 'tenant_id', document: 'record' },
  sessions: { table: 'sessions', tenant: 'tenant_id', document: 'handshake' },
  submitted_audit: { table: 'audit', tenant: 'tenant_id', document: 'record', only: 'submitted' },
  submitted_chains: { table: 'submitted_chains', tenant: 'tenant_key', document: 'record' },
} as const satisfies Record<string, StockTable>;

/** A kind of record that a client submits. */
export type SubmittedKind = keyof typeof STOCK_TABLES;
/** Every kind whose number is bounded; audit events of refused actions are counted by migration refused-audit. */
export type StockKind = SubmittedKind | 'refused_audit';

// A change goes to any part of the tenant's count that no other transaction holds, or to a new part: no writer waits for the end of another's
// transaction, and there are as many parts as transactions that once ran at the same moment.
const CHANGE_STOCK = `
CREATE FUNCTION runtime.change_stock(of_tenant text, of_kind text, more_records bigint, more_bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE runtime.tenant_stock SET records = records + more_records, bytes = bytes + more_bytes
  WHERE tenant_key = of_tenant AND kind = of_kind AND part = (
    SELECT part FROM runtime.tenant_stock WHERE tenant_key = of_tenant AND kind = of_kind LIMIT 1 FOR UPDATE SKIP LOCKED
  );
  IF NOT FOUND THEN
    INSERT INTO runtime.tenant_stock (tenant_key, kind, records, bytes) VALUES (of_tenant, of_kind, more_records, more_bytes);
  END IF;
END $$;
`;

/** What counts the rows of every kind, and the count of the rows that are there. */
export const COUNT_STOCK =
  CHANGE_STOCK +
  (Object.entries(STOCK_TABLES) as [SubmittedKind, StockTable][])
    .map(([kind, { table, tenant, document, only }]) => {
      const counted = only === undefined ? '' : ` WHERE ${only}`;
      const tenantOf = (row: string): string => `COALESCE(${row}${tenant}, '')`;
      return `
CREATE FUNCTION runtime.stock_${kind}_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM runtime.change_stock(${tenantOf('NEW.')}, '${kind}', 1, octet_length(NEW.${document}::text));
  RETURN NULL;
END $$;
CREATE FUNCTION runtime.stock_${kind}_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM runtime.change_stock(of_tenant.key, '${kind}', -of_tenant.records, -of_tenant.bytes) FROM (
    SELECT ${tenantOf('')} AS key, count(*) AS records, sum(octet_length(${document}::text)) AS bytes FROM removed${counted} GROUP BY 1
  ) of_tenant;
  RETURN NULL;
END $$;
CREATE TRIGGER stock_added AFTER INSERT ON runtime.${table} FOR EACH ROW${only === undefined ? '' : ` WHEN (NEW.${only})`}
  EXECUTE FUNCTION runtime.stock_${kind}_added();
CREATE TRIGGER stock_removed AFTER DELETE ON runtime.${table} REFERENCING OLD TABLE AS removed FOR EACH STATEMENT
  EXECUTE FUNCTION runtime.stock_${kind}_removed();
INSERT INTO runtime.tenant_stock (tenant_key, kind, records, bytes)
SELECT ${tenantOf('')}, '${kind}', count(*), sum(octet_length(${document}::text)) FROM runtime.${table}${counted} GROUP BY 1;
`;
    })
    .join('');
