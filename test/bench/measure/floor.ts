import pg from 'pg';
import { newSeedHex, signingKeyFromSeed, verifySignature } from '#runtime/protocol/signing.js';
import { percentile } from './percentile.ts';

/** Two single-row commits an action over `inFlight` connections: what the database alone allows without group commit. */
export async function commitFloor(
  url: string,
  inFlight: number,
  seconds: number,
): Promise<{ perSecond: number; p50: number }> {
  const pool = new pg.Pool({ connectionString: url, max: inFlight });
  await pool.query(
    'CREATE TABLE IF NOT EXISTS public.bench_floor (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, state text)',
  );
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() < end) {
        const start = performance.now();
        const { rows } = await pool.query<{ id: string }>(
          "INSERT INTO public.bench_floor (state) VALUES ('running') RETURNING id",
        );
        await pool.query("UPDATE public.bench_floor SET state = 'completed' WHERE id = $1", [rows[0]?.id]);
        times.push(performance.now() - start);
      }
    }),
  );
  await pool.query('DROP TABLE public.bench_floor');
  await pool.end();
  return { perSecond: times.length / seconds, p50: percentile(times, 50) };
}

/** CPU milliseconds of two signatures and two verifications of a 1 KiB message. */
export async function signatureFloor(): Promise<number> {
  const key = signingKeyFromSeed(newSeedHex());
  const bytes = Buffer.alloc(1024, 7);
  const rounds = 2000;
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) {
    const signature = await key.sign(bytes);
    await verifySignature(key.did, bytes, signature);
  }
  const used = process.cpuUsage(before);
  return ((used.user + used.system) / 1000 / rounds) * 2;
}
