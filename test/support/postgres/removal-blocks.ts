import type { Pool, Queryable } from '#runtime/postgres/pool.js';

interface ExplainedPlan {
  'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }];
}

/**
 * A pool that counts the blocks of tables and indexes that removals touch: into `blocks`, by statement, one number a batch. Each batch runs twice,
 * and the first run is undone.
 */
export function countingRemovals(pool: Pool, blocks: Map<string, number[]>): Pool {
  const counting = (client: Queryable): Queryable => ({
    query: async (statement, values) => {
      const { text, values: own = values } = typeof statement === 'string' ? { text: statement } : statement;
      if (!text.includes('DELETE FROM')) return client.query(statement, values);
      await client.query('SAVEPOINT counted');
      const explained = await client.query<ExplainedPlan>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, own);
      await client.query('ROLLBACK TO SAVEPOINT counted');
      const { Plan } = (explained.rows[0] as ExplainedPlan)['QUERY PLAN'][0];
      blocks.set(text, [...(blocks.get(text) ?? []), Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']]);
      return client.query(statement, values);
    },
  });
  return { ...pool, tx: (work) => pool.tx((client) => work(counting(client))) };
}
