/** The message that began an execution is claimed by the row of the execution; other messages have a claim of their own. */
export const host0005 = `
ALTER TABLE executions ADD COLUMN message_id text, ADD COLUMN signature text;
CREATE UNIQUE INDEX executions_message ON executions (message_id) WHERE message_id IS NOT NULL;
`;
