/**
 * Old executions are found by a walk through the table, so that no index of their times is written with each. A host of the release before reads the
 * whole journal for each removal on this schema.
 */
export const host0007 = `
DROP INDEX executions_started;
`;
