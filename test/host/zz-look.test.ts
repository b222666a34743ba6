import { afterAll, beforeAll, test } from 'vitest';
import { Pool } from '../../node_modules/undici/index.js';
import { type Rig, startRig } from './support/rig.ts';
let rig: Rig;
beforeAll(async () => { rig = await startRig({ env: { AIP_CONNECTOR_HOST_MAX_IN_FLIGHT: '128' } }); });
afterAll(async () => { await rig?.stop(); });
test('look', async () => {
  const pool = new Pool(rig.host.url, { connections: 64 });
  for (const n of [1, 1]) {
    const bodies = await Promise.all(Array.from({ length: 1500 }, () => rig.central.action({ capability_id: 'cap:demo:echo', input: { text: 'x' } }).then((e) => JSON.stringify(e))));
    const cpu = async () => { const st = (await (await import('node:fs/promises')).readFile(`/proc/${rig.host.child.pid}/stat`, 'utf8')); const f = st.slice(st.lastIndexOf(')') + 2).split(' '); return (Number(f[11]) + Number(f[12])) * 10; }; const c0 = await cpu(); const t0 = performance.now(); let i = 0; let bad = 0;
    await Promise.all(Array.from({ length: n }, async () => { while (i < bodies.length && performance.now() - t0 < 2500) { const r = await pool.request({ path: '/aip/v1/messages', method: 'POST', headers: { 'content-type': 'application/json' }, body: bodies[i++] as string }); await r.body.text(); if (r.statusCode !== 200) bad++; } }));
    const s = (performance.now() - t0) / 1000;
    console.log(n, (i / s).toFixed(0), 'per s', ((s * 1000 * n) / i).toFixed(2), 'ms', bad, 'host cpu ms each', ((await cpu() - c0) / i).toFixed(3));
  }
  await pool.close();
  const t = async (name: string, f: () => Promise<unknown>) => { const t0 = performance.now(); for (let i = 0; i < 500; i++) await f(); console.log(name, 'per s', ((performance.now() - t0) / 500).toFixed(3), 'ms'); };
  await t('health', async () => { const r = await fetch(rig.host.url + '/health'); await r.text(); });
  await t('select', () => rig.pool.query({ name: 'a', text: 'SELECT 1', values: [] }));
  let k = 0;
  await t('insert', () => rig.pool.query({ name: 'b', text: 'INSERT INTO aip_host.replay_claims VALUES ($1, $2, $3)', values: ['x' + k++, 'y', 1] }));
  const { verifyEnvelope, signEnvelope } = await import('@aip/runtime/protocol/envelope.js');
  const e = await rig.central.action({ capability_id: 'cap:demo:echo' });
  await t('verify', () => verifyEnvelope(e));
  await t('sign', () => signEnvelope(e, rig.central.principal, rig.central.key));
});
