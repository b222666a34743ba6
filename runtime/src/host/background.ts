/** What runs beside the actions of a process until it ends. */
export interface Background {
  /** Aborted once the work must end. */
  readonly signal: AbortSignal;
  /** Starts work that ends with the signal and never rejects. */
  run(work: (signal: AbortSignal) => Promise<void>): void;
  /** Ends all work, and resolves when it has ended. */
  end(): Promise<void>;
}

/** Nothing runs yet. */
export function openBackground(): Background {
  const ending = new AbortController();
  const running: Promise<void>[] = [];
  return {
    signal: ending.signal,
    run: (work) => {
      running.push(work(ending.signal));
    },
    end: async () => {
      ending.abort();
      await Promise.all(running);
    },
  };
}
