import type { Queryable } from '@aip/runtime/internal/postgres';

interface Row {
  name: string;
  superuser: boolean;
  makes_roles: boolean;
  makes_schemas: boolean;
  /** Roles of hosts with a schema here that the user may not act as. */
  foreign: string[];
}

const RIGHTS = `
SELECT current_user::text AS name, u.rolsuper AS superuser, u.rolcreaterole AS makes_roles,
       has_database_privilege(current_user, current_database(), 'CREATE') AS makes_schemas,
       ARRAY(SELECT r.rolname::text FROM pg_roles r JOIN pg_namespace n ON n.nspname = r.rolname AND n.nspowner = r.oid
              WHERE r.rolname ~ '^host_[0-9a-f]{16}$'
                AND NOT (pg_has_role(current_user, r.oid, 'SET') AND pg_has_role(current_user, r.oid, 'USAGE'))
              ORDER BY 1 LIMIT 20) AS foreign
  FROM pg_roles u WHERE u.rolname = current_user`;

/** A right that the fleet's database user lacks, and the statement that gives it. */
export interface MissingRight {
  message: string;
  advice: string;
}

/** What the user of a connection lacks to make and drop the roles and schemas of hosts; empty when nothing. Throws StorageUnavailable. */
export async function missingDatabaseRights(database: Queryable): Promise<MissingRight[]> {
  const row = (await database.query<Row>(RIGHTS)).rows[0];
  if (!row || row.superuser) return [];
  const user = `"${row.name.replaceAll('"', '""')}"`;
  const missing: MissingRight[] = [];
  if (!row.makes_roles)
    missing.push({
      message: `the database user ${row.name} may not make roles`,
      advice: `As a superuser: ALTER ROLE ${user} CREATEROLE`,
    });
  if (!row.makes_schemas)
    missing.push({
      message: `the database user ${row.name} may not make schemas`,
      advice: `As a superuser, with the name of the database: ALTER DATABASE fleet OWNER TO ${user}`,
    });
  if (row.foreign.length > 0)
    missing.push({
      message: `the database user ${row.name} may not act as the roles of hosts that another user made: ${row.foreign.join(', ')}`,
      advice: `As a superuser: GRANT ${row.foreign.join(', ')} TO ${user} WITH ADMIN TRUE, SET TRUE, INHERIT TRUE`,
    });
  return missing;
}
