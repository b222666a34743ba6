import type { Resources } from '../../api/resources.js';
import type { Stage } from '../stages.js';
import type { DevInfo } from '../state/data-dir.js';
import type { OnNote } from '../state/note.js';

/** What `aip dev` was asked to do. */
export interface FleetOptions {
  dataDir: string;
  /** Desired resources; undefined takes up those of the last run. */
  resources?: Resources | undefined;
  fresh?: boolean;
  /** 0 = any free port; further gateways take any free one. */
  gatewayPort: number;
  controlPort: number;
  gateways: number;
  /** File with further trusted signers for the gateways (docs/protocol/client-api.md#authentication). */
  trustedSigners?: string | undefined;
  env: NodeJS.ProcessEnv;
  onStage: (stage: Stage) => void;
  /** Take over changes of connector modules as they are saved. */
  watchModules?: boolean;
  /** The instances became ready or stopped being so, or one was added. */
  onInfo?: ((info: DevInfo) => void) | undefined;
  /** Something worth reporting: a program ended, a replica drains. */
  onNote: OnNote;
  /** A host has drained and ended while everything stops. */
  onDrained?: ((replica: string, ms: number) => void) | undefined;
  /** Each line that a program logs. */
  onLog?: ((name: string, line: string) => void) | undefined;
}
