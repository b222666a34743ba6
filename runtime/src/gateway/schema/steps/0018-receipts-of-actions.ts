/**
 * The chain of an action is in its row. Chains that are stored already stay where they are, and are continued in the row. A gateway of the
 * release before stores no submitted audit event on this schema.
 */
export const receiptsOfActions = {
  id: 18,
  name: 'receipts-of-actions',
  sql: `
-- Each link with its position in the chain; null: none was written since rows have them.
ALTER TABLE runtime.actions ADD COLUMN receipts json[];
-- A row of half a page stays whole: packing it costs more than it saves.
ALTER TABLE runtime.actions SET (toast_tuple_target = 4080);

-- Nobody asks for an event of this server by its id, and the action of a removed one may come again.
ALTER TABLE runtime.audit DROP CONSTRAINT audit_pkey;
CREATE UNIQUE INDEX audit_submitted ON runtime.audit (audit_id, tenant_key) WHERE submitted;
`,
} as const;
