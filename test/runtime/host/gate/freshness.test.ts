import { expect, test } from 'vitest';
import type { Facts } from '#runtime/host/gate/facts.js';
import { freshness } from '#runtime/host/gate/freshness.js';
import { formatTime } from '#runtime/protocol/time.js';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const sent = (ms: number) => ({ envelope: { sent_at: formatTime(NOW + ms) }, now: NOW }) as Facts;

test.each([
  [-299_999, true],
  [-300_000, true],
  [-300_001, false],
  [29_999, true],
  [30_000, true],
  [30_001, false],
])('F-247 a message sent %i ms from now is fresh: %s', (ms, fresh) => {
  const refusal = freshness(sent(ms));
  if (fresh) expect(refusal).toBeUndefined();
  else expect(refusal).toMatchObject({ code: 'connector_host.replay', status: 409 });
});
