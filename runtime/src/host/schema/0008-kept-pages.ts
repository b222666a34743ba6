/** No execution waits while PostgreSQL cuts empty pages off a table whose rows last for minutes. */
export const host0008 = `
ALTER TABLE replay_claims SET (vacuum_truncate = off);
ALTER TABLE outbox SET (vacuum_truncate = off, toast.vacuum_truncate = off);
ALTER TABLE webhook_replay SET (vacuum_truncate = off);
`;
