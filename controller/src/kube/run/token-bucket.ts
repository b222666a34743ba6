/** Lets `perSecond` things through a second on average and `burst` of them at once. */
export interface TokenBucket {
  /** Takes a token and returns how many ms to wait before using it; 0 while there are tokens. */
  reserve(): number;
  /** Takes a token if there is one now. */
  tryTake(): boolean;
}

/** A full bucket. `now` is a monotonic clock in ms. */
export function createTokenBucket(
  { perSecond, burst }: { perSecond: number; burst: number },
  now: () => number = () => performance.now(),
): TokenBucket {
  let tokens = burst;
  let at = now();
  const refill = (): void => {
    const time = now();
    tokens = Math.min(burst, tokens + ((time - at) / 1000) * perSecond);
    at = time;
  };
  return {
    reserve: () => {
      refill();
      tokens -= 1;
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000;
    },
    tryTake: () => {
      refill();
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
