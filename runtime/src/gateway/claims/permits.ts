/** A bounded number of works that may run at once; what comes later waits in order. */
export interface Permits {
  readonly capacity: number;
  /** Works that may begin now. */
  available(): number;
  /** Waits for a permit; the returned function gives it back, once. Throws the reason of `signal`. */
  acquire(signal?: AbortSignal): Promise<() => void>;
  /** A permit if one is free now. */
  tryAcquire(): (() => void) | undefined;
}

/** Opens `capacity` permits. */
export function openPermits(capacity: number): Permits {
  let free = capacity;
  const waiting: (() => void)[] = [];

  const permit = (): (() => void) => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    };
  };
  const tryAcquire = (): (() => void) | undefined => {
    if (free === 0) return undefined;
    free -= 1;
    return permit();
  };

  return {
    capacity,
    available: () => free,
    tryAcquire,
    acquire: (signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const now = tryAcquire();
        if (now) {
          resolve(now);
          return;
        }
        const grant = (): void => {
          signal?.removeEventListener('abort', giveUp);
          resolve(permit());
        };
        const giveUp = (): void => {
          waiting.splice(waiting.indexOf(grant), 1);
          reject(signal?.reason);
        };
        waiting.push(grant);
        signal?.addEventListener('abort', giveUp, { once: true });
      }),
  };
}
