/**
 * The ids under which a delegate knows a delegation and its child action, where another tenant's delegation had the requester's ids first.
 * Null: the requester's own, as for what a gateway of the release before stores.
 */
export const delegationIds = {
  id: 20,
  name: 'delegation-ids',
  sql: `
ALTER TABLE runtime.delegations ADD COLUMN sent_id text COLLATE "C", ADD COLUMN sent_child_id text COLLATE "C";
CREATE INDEX delegations_sent ON runtime.delegations (sent_id) WHERE sent_id IS NOT NULL;
CREATE INDEX delegations_sent_child ON runtime.delegations (sent_child_id) WHERE sent_child_id IS NOT NULL;
`,
} as const;
