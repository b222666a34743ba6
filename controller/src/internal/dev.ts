/** The fleet of `aip dev` for sibling packages. */
export { type ApplyOutcome, type Fleet, startFleet } from '../local/fleet.js';
export { watchLauncher } from '../local/process/launcher.js';
export type { Stage } from '../local/stages.js';
export type { NoteKind } from '../local/state/note.js';
