/** How many audit events of refused actions each tenant has, counted as they come and go. No release before wrote any. */
export const refusedAudit = {
  id: 26,
  name: 'refused-audit',
  sql: `
CREATE FUNCTION runtime.stock_refused_audit_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM runtime.change_stock(COALESCE(NEW.tenant_id, ''), 'refused_audit', 1, octet_length(NEW.record::text));
  RETURN NULL;
END $$;
CREATE FUNCTION runtime.stock_refused_audit_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM runtime.change_stock(of_tenant.key, 'refused_audit', -of_tenant.records, -of_tenant.bytes) FROM (
    SELECT COALESCE(tenant_id, '') AS key, count(*) AS records, sum(octet_length(record::text)) AS bytes FROM removed
    WHERE action = 'aip.action.refused' AND NOT submitted GROUP BY 1
  ) of_tenant;
  RETURN NULL;
END $$;
CREATE TRIGGER stock_refused_added AFTER INSERT ON runtime.audit FOR EACH ROW
  WHEN (NEW.action = 'aip.action.refused' AND NOT NEW.submitted) EXECUTE FUNCTION runtime.stock_refused_audit_added();
CREATE TRIGGER stock_refused_removed AFTER DELETE ON runtime.audit REFERENCING OLD TABLE AS removed FOR EACH STATEMENT
  EXECUTE FUNCTION runtime.stock_refused_audit_removed();
`,
} as const;
