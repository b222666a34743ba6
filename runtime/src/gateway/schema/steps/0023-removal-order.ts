/**
 * What retention reads to find the rows that it removes. A range index of times names every page that ever held an old event, so events are found in the
 * order of the log. A gateway of the release before reads the whole log for each pass on this schema.
 */
export const removalOrder = {
  id: 23,
  name: 'removal-order',
  sql: `
DROP INDEX runtime.events_occurred;
-- Dead letters have a period of their own: they are found without the actions that are kept longer.
CREATE INDEX actions_dead_lettered ON runtime.actions (completed_at) WHERE state = 'dead_lettered';
CREATE INDEX documents_age ON runtime.documents (stored_at);
`,
} as const;
