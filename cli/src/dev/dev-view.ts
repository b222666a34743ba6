import type { DevInfo } from '@aip/controller/internal/data-folder';
import type { NoteKind, Stage } from '@aip/controller/internal/dev';
import type { ActionStatus, ReceiptChain } from '@aip/runtime/internal/protocol';
import type { FollowView } from '../follow-session.js';
import type { FleetSnapshot } from '../ui/fleet/snapshot.js';

/** Everything that is reported when all is up. */
export interface ReadyFacts {
  info: DevInfo;
  dataDir: string;
  fleet: FleetSnapshot;
  /** From the start of the process, in ms; undefined once other instances are ready than at the start. */
  readyMs: number | undefined;
  firstChunkMs?: number | undefined;
  /** The next commands to try. */
  commands: readonly string[];
}

/** What `aip dev` shows. One implementation for terminals, one for plain lines, one that is silent but for JSON. */
export interface DevView {
  /** How often the fleet is checked for this view, in ms; undefined: it shows nothing of that. */
  readonly checkMs: number | undefined;
  stage(stage: Stage): void;
  /** A note; without a kind it is about something wrong. */
  note(text: string, kind?: NoteKind): void;
  /** A line of a program's log, as it wrote it. */
  log(program: string, line: string): void;
  /** The demo action; its follow is shown through the view given back. */
  demo(capabilityId: string, input: unknown, actionId: string): FollowView;
  receipts(chain: ReceiptChain, status: ActionStatus): void;
  ready(facts: ReadyFacts): void;
  /** Instances became ready or stopped being so, after `ready`. */
  changed(info: DevInfo): void;
  /** A fresh check of the fleet. */
  fleet(snapshot: FleetSnapshot): void;
  /** Other commands to try, because other instances are ready than before. */
  commands(commands: readonly string[]): void;
  stopping(): void;
  /** A host has finished its work and ended. */
  drained(replica: string, ms: number): void;
  stopped(ms: number): void;
  /** Gives the terminal back. */
  close(): Promise<void> | void;
}
