/** Pauses of a loop that others may end early. */
export interface Pauses {
  /** Waits `ms`, at most; with `untilWoken` no longer than to the next `wake`, and not at all after one since `beginning`. */
  pause(ms: number, untilWoken: boolean): Promise<void>;
  /** From here on `woken` says whether `wake` was called. */
  beginning(): void;
  woken(): boolean;
  wake(): void;
  /** Ends the pause, whatever it waits for. */
  interrupt(): void;
}

export function openPauses(): Pauses {
  let woken = false;
  let current: { readonly finish: () => void; readonly untilWoken: boolean } | undefined;
  return {
    pause: (ms, untilWoken) =>
      new Promise((done) => {
        const finish = (): void => {
          clearTimeout(timer);
          current = undefined;
          done();
        };
        const timer = setTimeout(finish, ms);
        current = { finish, untilWoken };
        if (untilWoken && woken) finish();
      }),
    beginning: () => {
      woken = false;
    },
    woken: () => woken,
    wake: () => {
      woken = true;
      if (current?.untilWoken) current.finish();
    },
    interrupt: () => current?.finish(),
  };
}
