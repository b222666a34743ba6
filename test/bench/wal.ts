import pg from 'pg';
import { startSignedFleet } from './load/signed-fleet.ts';
import { superuserUrl } from './measure/costs.ts';
import { scaled } from './measure/scaled.ts';
import { namesOfRelations, openWalReader, type WalRecords } from './measure/wal.ts';

const LEVELS = [1, 16, 64];
const SECONDS = scaled(Number(process.env.AIP_BENCH_SECONDS ?? 8));

/** Kinds of records below this many an action are added up in one line. */
const RARE = 0.02;

/**
 * The WAL of signed sync actions at 1, 16 and 64 in flight: records and bytes an action by type and relation, as the log itself has them. What the
 * fleet does at rest is part of them.
 */
export async function walBench(): Promise<void> {
  const fleet = await startSignedFleet();
  const log = new pg.Client({ connectionString: superuserUrl(fleet.dev) });
  const database = new pg.Client({ connectionString: fleet.dev.ready.database_url });
  try {
    await Promise.all([log.connect(), database.connect()]);
    const wal = await openWalReader(log);
    await fleet.load(16, 2);
    for (const inFlight of LEVELS) {
      await wal.next();
      const { done } = await fleet.load(inFlight, SECONDS);
      print(inFlight, Math.max(1, done), await wal.next(), await namesOfRelations(database));
    }
  } finally {
    await Promise.all([log.end(), database.end()]);
    await fleet.stop();
  }
}

function print(inFlight: number, done: number, all: readonly WalRecords[], names: ReadonlyMap<string, string>): void {
  const sum = (rows: readonly WalRecords[], of: 'records' | 'bytes' | 'images'): string =>
    (rows.reduce((total, row) => total + row[of], 0) / done).toFixed(2).padStart(9);
  const line = (rows: readonly WalRecords[], what: string): void => {
    process.stdout.write(
      `${sum(rows, 'records')} | ${sum(rows, 'bytes')} | ${sum(rows, 'images')} | ${what.trimEnd()}\n`,
    );
  };
  process.stdout.write(
    `\n${inFlight} in flight, ${done} actions\n  records |     bytes |    images | an action, by type and relation\n`,
  );
  const often = all.filter(({ records }) => records / done >= RARE);
  for (const row of often.toSorted((a, b) => b.records - a.records))
    line([row], `${row.type} ${row.relation === null ? '' : (names.get(row.relation) ?? 'another database')}`);
  line(
    all.filter((row) => !often.includes(row)),
    'rare ones',
  );
  line(all, 'all');
}
