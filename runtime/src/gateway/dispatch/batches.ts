/**
 * Gathers items that arrive while a call is under way into the next call. `run` answers each item in order; an Error
 * among the answers rejects that item alone, and a call that throws rejects all of its items. At most `maxBatch` items
 * a call and `lanes` calls at once.
 */
export function batched<I, O>(options: {
  maxBatch: number;
  lanes: number;
  run(items: readonly I[]): Promise<readonly (O | Error)[]>;
}): (item: I) => Promise<O> {
  const { maxBatch, lanes, run } = options;
  interface Waiting extends PromiseWithResolvers<O> {
    readonly item: I;
  }
  let waiting: Waiting[] = [];
  let underWay = 0;

  const call = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const answers = await run(batch.map(({ item }) => item));
      for (const [index, each] of batch.entries()) {
        const answer = answers[index] as O | Error;
        if (answer instanceof Error) each.reject(answer);
        else each.resolve(answer);
      }
    } catch (error) {
      for (const each of batch) each.reject(error);
    } finally {
      underWay -= 1;
      next();
    }
  };
  const next = (): void => {
    while (underWay < lanes && waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      underWay += 1;
      void call(batch);
    }
  };
  return (item) => {
    const entry: Waiting = { ...Promise.withResolvers<O>(), item };
    waiting.push(entry);
    if (waiting.length === 1) setImmediate(next);
    return entry.promise;
  };
}
