/** What finds the delegations that this deployment runs itself and whose child action has ended. */
export const delegationsHere = {
  id: 12,
  name: 'delegations-here',
  sql: `
CREATE INDEX delegations_here ON runtime.delegations (seq) WHERE delivery IS NULL AND completed_at IS NULL;
`,
} as const;
