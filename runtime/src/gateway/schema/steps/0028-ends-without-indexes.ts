/**
 * The end of an action that completed changes no column of an index, so that PostgreSQL writes none of them again (a HOT update). A gateway of the release
 * before finds lapsed leases, and pages of actions in one state, more slowly on this schema.
 */
export const endsWithoutIndexes = {
  id: 28,
  name: 'ends-without-indexes',
  sql: `
-- What only some actions have: an end other than completed, its time for dead letters, and a session while they are open.
ALTER TABLE runtime.actions ADD COLUMN unsuccessful_state text, ADD COLUMN dead_lettered_at bigint, ADD COLUMN open_session_id text COLLATE "C";
UPDATE runtime.actions SET unsuccessful_state = state, dead_lettered_at = CASE WHEN state = 'dead_lettered' THEN completed_at END
WHERE state IN ('failed', 'cancelled', 'expired', 'dead_lettered');
UPDATE runtime.actions SET open_session_id = session_id WHERE completed_at IS NULL AND session_id IS NOT NULL;

DROP INDEX runtime.actions_live, runtime.actions_queued, runtime.actions_session, runtime.actions_unsuccessful, runtime.actions_dead_lettered;
-- An action keeps the time of its last lease when it ends.
CREATE INDEX actions_leased ON runtime.actions (lease_expires_at) WHERE lease_expires_at IS NOT NULL;
CREATE INDEX actions_queued ON runtime.actions ((COALESCE(tenant_id, '')), next_attempt_at, seq) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX actions_open_session ON runtime.actions (open_session_id) WHERE open_session_id IS NOT NULL;
CREATE INDEX actions_unsuccessful ON runtime.actions (unsuccessful_state, tenant_id, seq) WHERE unsuccessful_state IS NOT NULL;
CREATE INDEX actions_dead_lettered ON runtime.actions (dead_lettered_at) WHERE dead_lettered_at IS NOT NULL;

CREATE FUNCTION runtime.action_sparse_columns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.unsuccessful_state := CASE WHEN NEW.completed_at IS NOT NULL THEN NULLIF(NEW.state, 'completed') END;
  NEW.dead_lettered_at := CASE WHEN NEW.state = 'dead_lettered' THEN NEW.completed_at END;
  NEW.open_session_id := CASE WHEN NEW.completed_at IS NULL THEN NEW.session_id END;
  RETURN NEW;
END $$;
CREATE TRIGGER action_sparse_columns BEFORE INSERT ON runtime.actions FOR EACH ROW
  WHEN (NEW.session_id IS NOT NULL OR NEW.completed_at IS NOT NULL) EXECUTE FUNCTION runtime.action_sparse_columns();

-- Ends that a gateway of the release before writes. After the update, since a trigger before it would lock the row of every action.
CREATE FUNCTION runtime.action_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE runtime.actions SET unsuccessful_state = NULLIF(state, 'completed'),
    dead_lettered_at = CASE WHEN state = 'dead_lettered' THEN completed_at END, open_session_id = NULL
  WHERE action_id = NEW.action_id AND tenant_id IS NOT DISTINCT FROM NEW.tenant_id;
  RETURN NULL;
END $$;
CREATE TRIGGER action_ended AFTER UPDATE ON runtime.actions FOR EACH ROW
  WHEN (NEW.completed_at IS NOT NULL AND (NEW.open_session_id IS NOT NULL OR (NEW.state <> 'completed' AND NEW.unsuccessful_state IS NULL)))
  EXECUTE FUNCTION runtime.action_ended();

-- Leases that lapsed up to place belong to actions that have ended. It becomes next_place once every transaction before horizon has ended; revision
-- rises with every change. Times are milliseconds since the epoch.
CREATE TABLE runtime.settled_leases (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  place bigint NOT NULL DEFAULT -1,
  next_place bigint NOT NULL DEFAULT -1,
  horizon xid8 NOT NULL DEFAULT '0',
  revision bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
INSERT INTO runtime.settled_leases DEFAULT VALUES;

-- A statement may reach the database long after its lease was made out: the place is moved back before such a lease, and workers begin there again.
CREATE FUNCTION runtime.lease_came_late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE runtime.settled_leases SET place = LEAST(place, NEW.lease_expires_at - 1), next_place = LEAST(next_place, NEW.lease_expires_at - 1),
    revision = revision + 1;
  PERFORM pg_notify('aip_work', 'late lease');
  RETURN NULL;
END $$;
CREATE TRIGGER lease_came_late AFTER INSERT OR UPDATE OF lease_expires_at ON runtime.actions FOR EACH ROW
  WHEN (NEW.completed_at IS NULL AND NEW.lease_expires_at <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 30000)
  EXECUTE FUNCTION runtime.lease_came_late();
`,
} as const;
