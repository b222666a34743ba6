/** How items that arrive one by one are put together. */
export interface BatchOptions<I, O> {
  /** Names the work in errors. */
  readonly name: string;
  /** Items of one run at most. */
  readonly maxBatch: number;
  /** Does the work of the items and answers each in order; an Error among the answers rejects that item alone. */
  run(items: readonly I[]): Promise<readonly (O | Error)[]>;
  /** Whether a run that failed as a whole is repeated item by item, so that a bad item harms no other; default: all of its items are rejected. */
  alone?(error: unknown): boolean;
  /** Waits for more items after a run of several; `full` says whether there are enough for the next one. */
  gather?(full: () => boolean): Promise<void>;
}

interface Waiting<I, O> extends PromiseWithResolvers<O> {
  readonly item: I;
}

/** Gathers items that arrive while a run is under way into the next one: one run at a time, the first at the next turn of the event loop. */
export function batched<I, O>(options: BatchOptions<I, O>): (item: I) => Promise<O> {
  const { maxBatch, alone, gather } = options;
  let waiting: Waiting<I, O>[] = [];
  let running = false;

  const run = async (batch: readonly Waiting<I, O>[]): Promise<void> => {
    try {
      const answers = await answersOf(
        options,
        batch.map(({ item }) => item),
      );
      batch.forEach((each, index) => {
        const answer = answers[index] as O | Error;
        if (answer instanceof Error) each.reject(answer);
        else each.resolve(answer);
      });
    } catch (error) {
      if (batch.length > 1 && alone?.(error)) for (const each of batch) await run([each]);
      else for (const each of batch) each.reject(error);
    }
  };
  const runAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      await run(batch);
      if (batch.length > 1) await gather?.(() => waiting.length >= maxBatch);
    }
    running = false;
  };
  return (item) => {
    const entry: Waiting<I, O> = { ...Promise.withResolvers<O>(), item };
    waiting.push(entry);
    if (!running) {
      running = true;
      setImmediate(() => void runAll());
    }
    return entry.promise;
  };
}

async function answersOf<I, O>(
  { name, run }: BatchOptions<I, O>,
  items: readonly I[],
): Promise<readonly (O | Error)[]> {
  const answers = await run(items);
  if (answers.length !== items.length)
    throw new RangeError(`${name} answered ${answers.length} of ${items.length} items`);
  return answers;
}
