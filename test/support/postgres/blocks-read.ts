import type { Queryable } from '#runtime/postgres/pool.js';

interface ExplainedPlan {
  'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }];
}

/** What `read` returns, and how many blocks of tables and indexes its statements touch. Only for reads: each statement runs twice. */
export async function blocksRead<T>(
  db: Queryable,
  read: (db: Queryable) => Promise<T>,
): Promise<{ result: T; blocks: number }> {
  let blocks = 0;
  const counting: Queryable = {
    query: async (statement, values) => {
      const { text, values: own = values } = typeof statement === 'string' ? { text: statement } : statement;
      const explained = await db.query<ExplainedPlan>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, own);
      const { Plan } = (explained.rows[0] as ExplainedPlan)['QUERY PLAN'][0];
      blocks += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
      return await db.query(statement, values);
    },
  };
  return { result: await read(counting), blocks };
}
