/** How far the stream of a delegated child action has come. */
export const delegatedChunks = {
  id: 15,
  name: 'delegated-chunks',
  sql: `
ALTER TABLE runtime.delegations ADD COLUMN last_chunk_sequence bigint, ADD COLUMN last_chunk_kind text;
-- A delegate names its child action alone when it sends a chunk; so does the check of a reported result.
CREATE INDEX delegations_child ON runtime.delegations (child_action_id);
`,
} as const;
