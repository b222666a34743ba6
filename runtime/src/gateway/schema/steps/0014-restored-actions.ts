/** Actions that had not ended in the backup that the database was restored from. */
export const restoredActions = {
  id: 14,
  name: 'restored-actions',
  sql: `
-- Set by whoever restores a backup, for every action without an end: nothing in the database says whether it ran after the backup.
ALTER TABLE runtime.actions ADD COLUMN restored boolean NOT NULL DEFAULT false;
`,
} as const;
