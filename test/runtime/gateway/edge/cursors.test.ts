import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertDeliveries } from '#runtime/gateway/callbacks/record.js';
import { cursorSeal, sealOf } from '#runtime/gateway/edge/lists/seal.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { actionInputHash } from '#runtime/protocol/hashes.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Body } from '#runtime/protocol/types.js';
import { until } from '../../../support/until.ts';
import { newDelivery } from '../callbacks/support.ts';
import {
  type Answer,
  actionEnvelope,
  errorOf,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
} from '../support/gateway.ts';

/** The numbers of rows begin here, so that they are recognised in a cursor. */
const FIRST_ROW = 987_654_321;
const HEALTH = 'cap:aip:server:health';
/** Each list with the member that holds its cursor. */
const LISTS = [
  ['actions', 'cursor'],
  ['sessions', 'cursor'],
  ['approvals', 'cursor'],
  ['callback-deliveries', 'cursor'],
  ['audit/events', 'cursor'],
  ['events', 'next_cursor'],
] as const;

let a: HttpGateway;
let b: HttpGateway;
let pool: Pool;

beforeAll(async () => {
  const principals = [
    principalEntry('desk', { tenant_id: 'acme', scopes: ['*'] }),
    principalEntry('stranger', { tenant_id: 'globex', principal_id: 'human:desk', scopes: ['*'] }),
    principalEntry('colleague', { tenant_id: 'acme', scopes: ['*'] }),
  ];
  a = await startHttpGateway({ principals });
  b = await startHttpGateway({ principals, databaseUrl: a.databaseUrl });
  pool = openPool({ url: a.databaseUrl, max: 2 });
  for (const table of ['actions', 'sessions', 'approvals', 'callback_deliveries', 'events'])
    await pool.query(`ALTER TABLE runtime.${table} ALTER COLUMN seq RESTART WITH ${FIRST_ROW}`);
  for (let row = 0; row < 3; row += 1) {
    expect((await a.call('POST', '/aip/v1/actions', { token: 'desk', body: actionEnvelope() })).status).toBe(200);
    await send({ handshake: { client: desk, purpose: 'tests', profiles: ['aip.native.http.v1'] } });
    await send({ approval_request: request() });
  }
  const here = { profile: 'aip.native.http.v1', target: 'http://127.0.0.1:9/' };
  const own = { principal_id: 'human:desk', principal_kind: 'human' };
  await insertDeliveries(
    pool,
    [1, 2, 3].map(() => newDelivery(here, own)),
  );
  // A transaction of another test in the same server keeps events from being shown for a while.
  await until('the events are shown', async () => {
    const { body } = await a.call('GET', '/aip/v1/events?limit=1000', { token: 'desk' });
    return body.events.length >= 3;
  });
});
afterAll(async () => {
  await pool?.close();
  await b?.stop();
  await a?.stop();
});

const desk = { id: 'human:desk', kind: 'human' } as const;

function request() {
  const hash = actionInputHash({ capability_id: HEALTH, input: {} });
  return {
    id: newId('approval'),
    action_id: newId('action'),
    capability_id: HEALTH,
    requester: desk,
    subject: desk,
    approver_selector: { type: 'tenant_policy' as const },
    reason: 'may I look?',
    evidence: [{ id: 'input', kind: 'input_snapshot', hash, redacted: true }],
  };
}

async function send(body: Body): Promise<void> {
  const envelope = newEnvelope(body, {}, { clock: Date.now });
  expect((await a.call('POST', '/aip/v1/messages', { token: 'desk', body: envelope })).status).toBe(200);
}

const page = (gateway: HttpGateway, list: string, cursor?: string, token = 'desk'): Promise<Answer> =>
  gateway.call('GET', `/aip/v1/${list}?limit=1${cursor === undefined ? '' : `&cursor=${cursor}`}`, { token });
const rowOf = ({ body }: Answer): string => {
  const [rows] = Object.values(body).filter(Array.isArray) as [{ id?: string }[]];
  return JSON.stringify(rows[0]);
};

test.each(LISTS)(
  'N-047 part: a cursor of %s shows no row number, continues on another gateway and opens only unchanged',
  async (list, member) => {
    const first = await page(a, list);
    const cursor = first.body[member] as string;
    expect(cursor).toMatch(/^[\w-]{30,}$/);
    const bytes = Buffer.from(cursor, 'base64url');
    const { rows } = await pool.query<{ xid: string }>('SELECT pg_current_xact_id()::text AS xid');
    expect(`${cursor} ${bytes.toString('latin1')}`).not.toContain(String(FIRST_ROW).slice(0, 7));
    for (let at = 0; at + 8 <= bytes.length; at += 1) {
      const number = bytes.readBigUInt64BE(at);
      expect(number >= BigInt(FIRST_ROW) && number < BigInt(FIRST_ROW + 100)).toBe(false);
      expect(number > 0n && number <= BigInt(rows[0]?.xid ?? 0)).toBe(false);
    }
    const [here, there] = await Promise.all([page(a, list, cursor), page(b, list, cursor)]);
    expect([here.status, rowOf(here)]).toEqual([200, rowOf(there)]);
    expect(rowOf(here)).not.toBe(rowOf(first));
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      const answer = await page(a, list, changed.toString('base64url'));
      expect([at, answer.status, errorOf(answer).code]).toEqual([at, 400, 'query.cursor_invalid']);
    }
  },
);

test.each(LISTS)(
  'N-048 a cursor of %s of another tenant, principal or list is refused and shows nothing',
  async (list, member) => {
    const cursor = (await page(a, list)).body[member] as string;
    const others = LISTS.map(([other]) => other).filter((other) => other !== list);
    const answers = [
      await page(a, list, cursor, 'stranger'),
      await page(a, list, cursor, 'colleague'),
      ...(await Promise.all(others.map((other) => page(a, other, cursor)))),
    ];
    for (const answer of answers) expect([answer.status, errorOf(answer).code]).toEqual([400, 'query.cursor_invalid']);
  },
);

test('one position has one cursor, two positions have different ones, and another key opens neither', async () => {
  const seal = await cursorSeal(pool);
  expect(await cursorSeal(pool)).toBe(seal);
  const position = (row: number): Buffer => Buffer.from(String(row));
  const cursors = [1, 2, 1].map((row) => seal.seal('list', position(row)));
  expect(cursors[0]).toBe(cursors[2]);
  expect(cursors[0]?.slice(0, 16)).not.toBe(cursors[1]?.slice(0, 16));
  expect(seal.open('list', cursors[1] as string).toString()).toBe('2');
  const other = sealOf(Buffer.alloc(32, 7));
  expect(() => other.open('list', cursors[0] as string)).toThrow('cursor');
  for (const wrong of ['', 'AAAA', 'ä', `${cursors[0]}=`, `${cursors[0]}!`])
    expect(() => seal.open('list', wrong)).toThrow('cursor');
});
