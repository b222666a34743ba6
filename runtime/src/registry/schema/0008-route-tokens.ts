/** Assignments are found by their actions. A process of the release before finds some of them by their fence tokens, which then takes longer. */
export const routeTokens = {
  id: 8,
  name: 'route-tokens',
  sql: `
-- Random, and compared with the stored one alone: an index of them would cost each action two entries.
ALTER TABLE registry.assignments DROP CONSTRAINT assignments_fence_token_key;
`,
} as const;
