import type { AipError } from '../../protocol/errors.js';
import type { ActionResult } from '../../protocol/types.js';
import type { Registry } from '../../registry/registry.js';
import type { RouteSettlement } from '../../registry/routes/settle.js';
import type { Logger } from '../../transport/process/logger.js';
import type { Permit } from './scheduler.js';

/** What became of dispatched work. */
export type Dispatched =
  /** The host's result, also a failed one. `journaled`: it journals actions by id. */
  | {
      readonly kind: 'result';
      readonly result: ActionResult;
      readonly journaled?: boolean | undefined;
      readonly place: HeldPlace;
    }
  /** A host was assigned and gave no result. `journaled`: a later dispatch can learn the outcome, which is unknown now. */
  | {
      readonly kind: 'failed';
      readonly error: AipError;
      readonly journaled?: boolean | undefined;
      readonly place: HeldPlace;
    }
  /** No host was assigned. */
  | { readonly kind: 'refused'; readonly error: unknown; readonly place?: undefined };

/** What dispatched work holds until it is disposed: its assignment to a host, and its place in the scheduler. */
export interface HeldPlace extends AsyncDisposable {
  /** How the assignment is released, best in the transaction that ends the action; undefined when another worker holds it. */
  readonly release: RouteSettlement | undefined;
  /** Makes the release the one of a cancelled action. */
  cancelled(): void;
  /** Leaves the assignment as it is: it is released, or another worker continues under it. */
  leave(): void;
  /** Releases the assignment that was not left, and gives the place back. Never rejects: maintenance releases what could not be. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The place of work that a permit admitted and that a release ends. */
export function heldPlace(
  { routes, log }: { readonly routes: Pick<Registry['routes'], 'settle'>; readonly log: Logger },
  permit: Permit,
  releasedBy: RouteSettlement | undefined,
): HeldPlace {
  let release = releasedBy;
  return {
    get release() {
      return release;
    },
    cancelled: () => {
      if (release) release = { ...release, settlement: 'cancelled' };
    },
    leave: () => {
      release = undefined;
    },
    [Symbol.asyncDispose]: async () => {
      try {
        if (release) await routes.settle([release]);
      } catch (error) {
        log.warn({ err: error, action_id: release?.actionId }, 'the route of an ended action was not released');
      } finally {
        release = undefined;
        permit.release();
      }
    },
  };
}
