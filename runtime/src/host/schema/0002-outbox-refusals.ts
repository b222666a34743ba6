/** Refusals are counted apart from attempts that failed, so that an outage never uses up the patience for them. */
export const host0002 = `
ALTER TABLE outbox ADD COLUMN refusals integer NOT NULL DEFAULT 0;
`;
