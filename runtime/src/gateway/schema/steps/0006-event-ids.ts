/** Event ids are chosen by connectors of every tenant: unique within a tenant, not over all. */
export const eventIds = {
  id: 6,
  name: 'event ids',
  sql: `
ALTER TABLE runtime.events DROP CONSTRAINT events_event_id_key;
CREATE UNIQUE INDEX events_event_id ON runtime.events (event_id, tenant_id) NULLS NOT DISTINCT;
`,
} as const;
