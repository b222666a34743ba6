import { fork } from 'node:child_process';

/** What a load did: `perSecond` and the times (ms) are of the calls that succeeded. */
export interface LoadReport {
  done: number;
  failed: number;
  perSecond: number;
  p50: number;
  p99: number;
  cpuMs: number;
}

/** A load script in a process of its own, which ends with it, so that its CPU time is counted apart. */
export interface Load<Order extends object> extends Disposable {
  /** One order at a time. */
  run(order: Order): Promise<LoadReport>;
}

/** Starts a load script, by its absolute path. Its process takes all orders, so that what a client runs is compiled by the time it is measured. */
export function openLoad<Order extends object>(script: string): Load<Order> {
  const child = fork(script, { stdio: 'inherit' });
  return {
    run: (order) =>
      new Promise((done, fail) => {
        const ended = (code: number | null): void =>
          fail(new Error(`the load process ended with ${code} before it reported`));
        child.once('exit', ended);
        child.once('message', (report) => {
          child.off('exit', ended);
          done(report as LoadReport);
        });
        child.send(order);
      }),
    [Symbol.dispose]: () => {
      if (child.connected) child.disconnect();
    },
  };
}
