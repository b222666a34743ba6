import type { Queryable } from '../../postgres/pool.js';
import { JOURNAL_PROFILE } from '../../protocol/wire/journal-profile.js';

// Whether the manifest of a version announces that its hosts journal actions by id.
const ANNOUNCED = `
SELECT EXISTS (SELECT FROM registry.version_profiles WHERE version_id = $1 AND profile = $2) AS journals`;

/** Versions that are remembered; what a version announces never changes. */
const MAX_KNOWN = 4096;

/** Whether the hosts of a version, by its id, journal actions by id. Throws StorageUnavailable. */
export function journalingVersions(db: Queryable): (versionId: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (versionId) => {
    const before = known.get(versionId);
    if (before !== undefined) return before;
    const { rows } = await db.query<{ journals: boolean }>({
      name: 'registry.version.journals',
      text: ANNOUNCED,
      values: [versionId, JOURNAL_PROFILE],
    });
    const journals = rows[0]?.journals ?? false;
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value as string);
    known.set(versionId, journals);
    return journals;
  };
}
