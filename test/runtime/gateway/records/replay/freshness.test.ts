import { expect, test } from 'vitest';
import { redact } from '#runtime/gateway/events/redact.js';
import { replayClaimOf } from '#runtime/gateway/records/replay/freshness.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { FUTURE_SKEW_MS, REPLAY_WINDOW_MS } from '#runtime/protocol/limits.js';
import { formatTime } from '#runtime/protocol/time.js';

const now = Date.UTC(2026, 0, 2);
const claim = (sentAt: number) =>
  replayClaimOf(
    { tenantId: 'acme' },
    newEnvelope({ query: {} } as never, { sent_at: formatTime(sentAt) }, { clock: () => now }),
    now,
  );

test('N-335 N-338 part: a message id stays claimed as long as its message could be accepted', () => {
  expect([REPLAY_WINDOW_MS, FUTURE_SKEW_MS]).toEqual([300_000, 30_000]);
  for (const sentAt of [now - REPLAY_WINDOW_MS, now, now + FUTURE_SKEW_MS])
    expect(claim(sentAt).expiresAt).toBe(sentAt + 300_000);
  for (const sentAt of [now - REPLAY_WINDOW_MS - 1, now + FUTURE_SKEW_MS + 1])
    expect(() => claim(sentAt)).toThrow('window');
});

test('members that may hold a secret are redacted at any depth, whatever their case', () => {
  const secret = {
    'Set-Cookie': 'a',
    cookie: 'b',
    Authorization: 'c',
    raw_payload: { d: 1 },
    my_password: 'e',
    api_key: 'f',
    client_secret: 'g',
    access_token: 'h',
  };
  const redacted = Object.fromEntries(Object.keys(secret).map((name) => [name, { redacted: true }]));
  expect(redact({ keep: 'x', list: [{ headers: secret }] })).toEqual({ keep: 'x', list: [{ headers: redacted }] });
});
