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

/** Runs a load script, by its absolute path, in a process of its own, so that its CPU time is counted apart. */
export function runLoad(script: string, order: object): Promise<LoadReport> {
  return new Promise((done, fail) => {
    const child = fork(script, { stdio: 'inherit' });
    child.once('message', (report) => done(report as LoadReport));
    child.once('exit', (code) => fail(new Error(`the load process ended with ${code} before it reported`)));
    child.send(order);
  });
}
