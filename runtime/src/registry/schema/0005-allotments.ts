/**
 * Shares of places and counters that gateways hold, so that placing an action writes no row which gateways share. What is counted as active on a
 * replica or counter is the sum of the shares in it and of the reserved assignments without a holder.
 */
export const allotments = {
  id: 5,
  name: 'allotments',
  sql: `
-- Gateways that hold shares, until their lease ends; seq is raised with every change of their shares.
CREATE TABLE registry.holders (
  id text COLLATE "C" PRIMARY KEY,
  lease_expires_at bigint NOT NULL,
  seq bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- The share of one holder in a counter, or under scope 'replica' in the places of a replica.
CREATE TABLE registry.allotments (
  scope text NOT NULL,
  key text COLLATE "C" NOT NULL,
  holder text COLLATE "C" NOT NULL,
  granted integer NOT NULL CHECK (granted >= 0),
  PRIMARY KEY (scope, key, holder)
) WITH (fillfactor = 50);
CREATE INDEX allotments_holder ON registry.allotments (holder);

-- Whose shares a reserved assignment is counted in; none: it is counted for itself.
ALTER TABLE registry.assignments ADD COLUMN holder text COLLATE "C";
`,
} as const;
