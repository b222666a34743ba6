/** Runs `work` with a signal that the first Ctrl-C aborts; a second one ends the process at once with code 130. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let firstAt = 0;
  const onSignal = (): void => {
    // npx passes on the signal that the terminal has already sent.
    if (controller.signal.aborted && performance.now() - firstAt > 500) process.exit(130);
    firstAt ||= performance.now();
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
