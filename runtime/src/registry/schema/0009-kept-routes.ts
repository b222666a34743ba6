/** Routes of completed actions are removed with the end of their actions, except for instances whose outcomes are counted. */
export const keptRoutes = {
  id: 9,
  name: 'kept-routes',
  sql: `
-- Since when the routes of completed actions stay until retention removes them, in milliseconds since the epoch; null: they do not. A controller of the
-- release before counts the outcomes of any instance, and writes none: what it made keeps its routes.
ALTER TABLE registry.instances ADD COLUMN routes_kept_since bigint DEFAULT 0;
`,
} as const;
