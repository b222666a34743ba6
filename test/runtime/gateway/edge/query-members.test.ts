import { expect, test } from 'vitest';
import { queryMembers } from '#runtime/gateway/edge/query-members.js';

test('members keep their values under the names of queries, absent ones stay absent', () => {
  expect(queryMembers({ tenant_id: 'acme', include_action_status: true, limit: 0, cursor: undefined })).toEqual({
    tenantId: 'acme',
    includeActionStatus: true,
    limit: 0,
    cursor: undefined,
  });
  expect(Object.keys(queryMembers({ limit: 1 }))).toEqual(['limit']);
});
