import { missingDatabaseRights } from '@aip/controller/internal/fleet';
import { openReadOnly } from '@aip/controller/internal/fleet-status';
import { type Finding, finding } from './check.js';

/** May the fleet's database user make and drop the roles and schemas of hosts? `url` is the URL of that user. */
export async function checkDatabaseRights(url: string): Promise<Finding[]> {
  const check = 'database rights';
  const pool = openReadOnly(url);
  try {
    const missing = await missingDatabaseRights(pool);
    if (missing.length === 0) return [finding.ok(check, 'roles and schemas of hosts can be made')];
    return missing.map(({ message, advice }) => finding.fail(check, message, advice));
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error);
    return [finding.fail(check, `the database does not answer: ${because}`, 'Check AIP_REGISTRY_URL.')];
  } finally {
    await pool.close();
  }
}
