/** Gives turns to those who read pages of the event log: few at a time, and the callers in rotation. */
export interface Turns {
  /** Runs `work` when it is this caller's turn. */
  take<T>(caller: string, work: () => Promise<T>): Promise<T>;
}

/**
 * At most `atOnce` turns run at the same time. Of those who wait, the callers take turns whatever number of streams each
 * of them has, and the event loop serves everything else between two turns.
 */
export function openTurns(atOnce: number): Turns {
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;

  const next = (): void => {
    const [first] = waiting;
    if (!first || running >= atOnce) return;
    const [caller, queue] = first;
    const begin = queue.shift() as () => void;
    waiting.delete(caller);
    if (queue.length > 0) waiting.set(caller, queue);
    running += 1;
    begin();
  };
  const turn = (caller: string): Promise<void> =>
    new Promise((begin) => {
      const queue = waiting.get(caller);
      if (queue) queue.push(begin);
      else waiting.set(caller, [begin]);
      next();
    });

  return {
    take: async (caller, work) => {
      await turn(caller);
      try {
        return await work();
      } finally {
        running -= 1;
        setImmediate(next);
      }
    },
  };
}
