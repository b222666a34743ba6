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
}

/** What comes while a lane waits for more items. */
export interface Arrivals {
  /** Whether the next run can hold no more of one kind. */
  full(): boolean;
  /** Aborts as soon as that is so, or as many items wait as the last run held: those who got an answer often come back with the next item. */
  readonly enough: AbortSignal;
}

/** Waits for more items after a run of several. */
export type Gather = (arrivals: Arrivals) => Promise<void>;

/** Kinds of work whose runs begin together, and wait for each other before the next ones begin. */
export interface Lane {
  /** Adds a kind of work. Gives what takes its items: those that arrive while runs are under way are gathered into the next one. */
  add<I, O>(options: BatchOptions<I, O>): (item: I) => Promise<O>;
}

/** Opens a lane: it runs what has arrived, the first at the next turn of the event loop. */
export function openLane(gather?: Gather): Lane {
  const queues: Queue[] = [];
  const full = (): boolean => queues.some((queue) => queue.isFull());
  const waiting = (): number => queues.reduce((sum, queue) => sum + queue.size(), 0);
  let gathering: { readonly wanted: number; readonly enough: AbortController } | undefined;
  const arrived = (): void => {
    if (gathering && (waiting() >= gathering.wanted || full())) gathering.enough.abort();
  };
  let running = false;
  const runAll = async (): Promise<void> => {
    for (;;) {
      const ready = queues.filter((queue) => queue.size() > 0);
      if (ready.length === 0) break;
      const sizes = await Promise.all(ready.map((queue) => queue.runNext()));
      if (!gather || sizes.every((size) => size <= 1)) continue;
      gathering = { wanted: sizes.reduce((sum, size) => sum + size, 0), enough: new AbortController() };
      arrived();
      await gather({ full, enough: gathering.enough.signal });
      gathering = undefined;
    }
    running = false;
  };
  return {
    add: (options) => {
      const { queue, put } = openQueue(options);
      queues.push(queue);
      return (item) => {
        const answer = put(item);
        arrived();
        if (!running) {
          running = true;
          setImmediate(() => void runAll());
        }
        return answer;
      };
    },
  };
}

/** A lane of its own for one kind of work: one run at a time. */
export function batched<I, O>({
  gather,
  ...options
}: BatchOptions<I, O> & { gather?: Gather }): (item: I) => Promise<O> {
  return openLane(gather).add(options);
}

/** The items of one kind that wait. */
interface Queue {
  size(): number;
  /** Whether the next run can hold no more. */
  isFull(): boolean;
  /** Runs the items that waited longest and gives how many they were. Never rejects: the items are. */
  runNext(): Promise<number>;
}

interface Waiting<I, O> extends PromiseWithResolvers<O> {
  readonly item: I;
}

function openQueue<I, O>(options: BatchOptions<I, O>): { queue: Queue; put: (item: I) => Promise<O> } {
  const { maxBatch, alone } = options;
  let waiting: Waiting<I, O>[] = [];

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
  const queue: Queue = {
    size: () => waiting.length,
    isFull: () => waiting.length >= maxBatch,
    runNext: async () => {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      await run(batch);
      return batch.length;
    },
  };
  const put = (item: I): Promise<O> => {
    const entry: Waiting<I, O> = { ...Promise.withResolvers<O>(), item };
    waiting.push(entry);
    return entry.promise;
  };
  return { queue, put };
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
