/** Action ids are unique within a tenant, not over all: so are their assignments. */
export const assignmentsOfTenants = {
  id: 6,
  name: 'action-ids',
  sql: `
ALTER TABLE registry.assignments DROP CONSTRAINT assignments_pkey, ADD PRIMARY KEY (action_id, tenant_id);
`,
} as const;
