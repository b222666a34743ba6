import type { LogRow } from '#runtime/gateway/events/log/row.js';

/** A row of the log, of no action. */
export const row = (seq: number, over: Partial<LogRow> = {}): LogRow => ({
  position: { xid: 1, seq },
  eventId: `evt_${seq}`,
  kind: 'a.b',
  record: '{}',
  actionId: null,
  tenantId: 'tenant-a',
  principalId: 'agent:owner',
  ended: false,
  ...over,
});
