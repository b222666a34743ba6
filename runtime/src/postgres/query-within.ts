import type { Pool, QueryResult, Statement } from './pool.js';

/** The server gives a statement up so much earlier than its client, in milliseconds. */
const EARLIER_MS = 1000;

/** Runs one statement that the server ends after `ms` milliseconds: the bound of the pool alone would leave it running there. */
export function queryWithin<T extends object>(
  pool: Pick<Pool, 'tx'>,
  statement: Statement,
  ms: number,
): Promise<QueryResult<T>> {
  return pool.tx(async (client) => {
    const [, result] = await Promise.all([
      client.query(`SET LOCAL statement_timeout = ${ms}`),
      client.query<T>({ ...statement, timeoutMs: ms + EARLIER_MS }),
    ]);
    return result;
  });
}
