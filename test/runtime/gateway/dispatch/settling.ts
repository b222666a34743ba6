import type { Dispatched, Dispatcher, RemoteWork } from '#runtime/gateway/dispatch/dispatcher.js';
import type { ActionResult } from '#runtime/protocol/types.js';
import type { Registry } from '#runtime/registry/registry.js';

/** A dispatcher for tests that have no action to end: releases are written behind the answers, which do not wait for them. */
export interface SettlingDispatcher extends Omit<Dispatcher, 'execute'> {
  execute(work: RemoteWork, signal: AbortSignal): Promise<ActionResult>;
  executeUnsettled(work: RemoteWork, signal: AbortSignal): Promise<Dispatched>;
}

export function settling(dispatcher: Dispatcher, { routes }: Pick<Registry, 'routes'>): SettlingDispatcher {
  const underWay = new Set<Promise<void>>();
  return {
    ...dispatcher,
    executeUnsettled: dispatcher.execute,
    execute: async (work, signal) => {
      const { outcome, release, done } = await dispatcher.execute(work, signal);
      const released: Promise<void> = (release ? routes.settle([release]) : Promise.resolve())
        .then(() => undefined)
        .finally(() => {
          underWay.delete(released);
          done();
        });
      underWay.add(released);
      if ('error' in outcome) throw outcome.error;
      return outcome.result;
    },
    stop: async () => {
      await dispatcher.stop();
      await Promise.all(underWay);
    },
  };
}
