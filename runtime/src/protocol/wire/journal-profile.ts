import type { Manifest } from '../types.js';

/**
 * Profile of hosts that journal actions by their id: the same action in another envelope is attached to the running
 * execution, answered from the journal or refused, and never begins a second time.
 */
export const JOURNAL_PROFILE = 'aip.host.journal.v1';

/** The manifest with the profile of journaling hosts; one that names no profile at all stays as it is. */
export function withJournalProfile<M extends Pick<Manifest, 'profiles'>>(manifest: M): M {
  const { profiles } = manifest;
  if (profiles.length === 0 || profiles.includes(JOURNAL_PROFILE)) return manifest;
  return { ...manifest, profiles: [...profiles, JOURNAL_PROFILE] };
}
