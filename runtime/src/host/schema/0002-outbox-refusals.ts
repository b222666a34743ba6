/**
 * Refusals are counted apart from attempts that failed, so that an outage never uses up the patience for them. Batches that were put aside
 * are counted at every check of the host's readiness, and removed by their age.
 */
export const host0002 = `
ALTER TABLE outbox ADD COLUMN refusals integer NOT NULL DEFAULT 0;
CREATE INDEX outbox_parked ON outbox (instance_id, parked_at) WHERE parked_at IS NOT NULL;
`;
