/**
 * Action ids are chosen by clients of every tenant: unique within a tenant, not over all. Chunks and documents belong to the pair.
 * A gateway of the release before accepts no action and no chunk on this schema and is not ready; it finishes what it runs.
 */
export const actionIds = {
  id: 17,
  name: 'action-ids',
  sql: `
ALTER TABLE runtime.documents DROP CONSTRAINT documents_action_id_fkey, ADD COLUMN tenant_id text COLLATE "C";
ALTER TABLE runtime.document_parts DROP CONSTRAINT document_parts_action_id_fkey, ADD COLUMN tenant_id text COLLATE "C";
ALTER TABLE runtime.chunks ADD COLUMN tenant_key text COLLATE "C";
UPDATE runtime.documents d SET tenant_id = a.tenant_id FROM runtime.actions a WHERE a.action_id = d.action_id;
UPDATE runtime.document_parts d SET tenant_id = a.tenant_id FROM runtime.actions a WHERE a.action_id = d.action_id;
UPDATE runtime.chunks c SET tenant_key = COALESCE((SELECT a.tenant_id FROM runtime.actions a WHERE a.action_id = c.action_id), '');

ALTER TABLE runtime.actions DROP CONSTRAINT actions_pkey;
CREATE UNIQUE INDEX actions_id ON runtime.actions (action_id, tenant_id) NULLS NOT DISTINCT;

-- The tenant's id, empty outside every tenant.
ALTER TABLE runtime.chunks ALTER COLUMN tenant_key SET NOT NULL, DROP CONSTRAINT chunks_pkey,
  ADD PRIMARY KEY (action_id, tenant_key, sequence);

-- Only actions that a host runs have documents, and those have a tenant.
ALTER TABLE runtime.documents ALTER COLUMN tenant_id SET NOT NULL, DROP CONSTRAINT documents_pkey, ADD PRIMARY KEY (action_id, tenant_id, digest),
  ADD FOREIGN KEY (action_id, tenant_id) REFERENCES runtime.actions (action_id, tenant_id) ON DELETE CASCADE;
ALTER TABLE runtime.document_parts ALTER COLUMN tenant_id SET NOT NULL,
  ADD FOREIGN KEY (action_id, tenant_id) REFERENCES runtime.actions (action_id, tenant_id) ON DELETE CASCADE;

-- The id of a chunk's delivery is made of the action's id.
ALTER TABLE runtime.callback_deliveries DROP CONSTRAINT callback_deliveries_pkey;
CREATE UNIQUE INDEX callback_deliveries_id ON runtime.callback_deliveries (delivery_id, tenant_id) NULLS NOT DISTINCT;

-- What a gateway of the release before writes to tell whether it is ready.
ALTER TABLE runtime.storage_probe RENAME TO gateway_probe;
`,
} as const;
