import type { Action, Capability } from '../../../protocol/types.js';

/** A capability that this server executes itself. */
export interface LocalCapability {
  readonly capability: Capability;
  /** Executes one action; its output is the result's output. */
  readonly run: (action: Action, signal: AbortSignal) => Promise<unknown>;
}

/** The capabilities of this server by id. */
export type LocalCapabilities = ReadonlyMap<string, LocalCapability>;
