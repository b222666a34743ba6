# Restores a backup of BACKUP_FOLDER, all of it or nothing: the newest, or the one that BACKUP names.
set -eu
cd "$BACKUP_FOLDER"
url=$(cat "$DATABASE_URL_FILE")
refuse() {
  echo "$1" >&2
  exit 1
}
on_database() {
  psql --dbname="$url" --no-password --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 "$@"
}

file=${BACKUP:-$(ls -1 | grep '^fleet-.*\.dump$' | sort | tail -n 1)}
[ -n "$file" ] || refuse "there is no backup in $BACKUP_FOLDER"
[ -f "$file" ] || refuse "there is no backup $file in $BACKUP_FOLDER"

open=$(on_database --command="
  SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND (usename = current_user OR usename ~ '^host_[0-9a-f]{16}\$')")
[ "$open" = 0 ] || refuse "$open connections of the fleet are open: stop its controllers, gateways and hosts first"
stored=$(on_database --command="SELECT count(*) FROM pg_namespace WHERE nspname IN ('runtime', 'registry')")
[ "$stored" = 0 ] || [ "$RESTORE_REPLACE" = true ] ||
  refuse "the database already holds a fleet: set RESTORE_REPLACE to true to drop it and restore $file in its place"

{
  echo "BEGIN;"
  # Every schema of the fleet and its hosts; schemas that were added after the backup too.
  cat <<'SQL'
DO $$ DECLARE name text; BEGIN
  FOR name IN
    SELECT n.nspname FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner
     WHERE n.nspname IN ('runtime', 'registry') OR (n.nspname = r.rolname AND n.nspname ~ '^host_[0-9a-f]{16}$')
  LOOP EXECUTE format('DROP SCHEMA %I CASCADE', name); END LOOP;
END $$;
SQL
  # Roles are no part of a dump. The controller lets them log in again, with the passwords of the hosts' Secrets.
  for role in $(pg_restore --list "$file" | grep -o 'host_[0-9a-f]\{16\}' | sort -u); do
    cat <<SQL
DO \$\$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '$role') THEN
    CREATE ROLE $role;
    GRANT $role TO CURRENT_USER WITH SET TRUE, INHERIT TRUE;
  END IF;
END \$\$;
SQL
  done
  pg_restore --file=- "$file" || echo "DO \$\$ BEGIN RAISE EXCEPTION 'the backup cannot be read to its end'; END \$\$;"
  # What had not ended may have run after the backup: gateways run it again only where its contract permits a retry.
  echo "UPDATE runtime.actions SET restored = true, attempts = attempts + 1 WHERE completed_at IS NULL;"
  # The event of an end is found by its transaction, which this server does not know: its audit event gets a row of its own.
  cat <<SQL
INSERT INTO runtime.audit (xid, seq, audit_id, tenant_id, principal_id, action_id, session_id, action, occurred_at, record)
  SELECT xid, seq, 'audit:action:' || action_id || ':result', tenant_id, principal_id, action_id, session_id, kind, occurred_at, audit
  FROM runtime.events WHERE audit IS NOT NULL;
UPDATE runtime.events SET audit = NULL WHERE audit IS NOT NULL;
SQL
  # A server that has counted fewer transactions hides events of later ones, and would sort new events before them.
  for log in events audit; do
    echo "UPDATE runtime.$log SET xid = '3' WHERE EXISTS (SELECT FROM runtime.$log WHERE xid >= pg_current_xact_id());"
  done
  echo "COMMIT;"
} | on_database >/dev/null
on_database --command="SET client_min_messages = error" --command="ANALYZE"
live=$(on_database --command="SELECT count(*) FROM runtime.actions WHERE completed_at IS NULL")
echo "restored $file; $live actions had not ended"
