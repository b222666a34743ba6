import { canonicalJson } from '../../../protocol/canonical.js';
import type { StreamChunk } from '../../../protocol/types.js';
import { type ActionState, nextState } from '../../actions/record/states.js';

/** How far the stream of one action has come. */
export interface StreamPosition {
  readonly mode: string;
  readonly state: ActionState;
  /** Highest stored sequence; null before the first chunk. */
  readonly lastSequence: number | null;
  /** Kind of the chunk with that sequence. */
  readonly lastKind: string | null;
}

/** What happens to a chunk: it is stored, was stored before, or is refused. */
export type ChunkDecision = 'store' | 'replay' | { readonly refused: string };

/**
 * Decides about one chunk: only a streaming action that is being executed takes any; sequences rise strictly; nothing follows a chunk of
 * kind done or error; equal content under a stored sequence is a replay (docs/protocol/actions.md#chunks). `stored` is the chunk with that sequence.
 */
export function decideChunk(
  chunk: StreamChunk,
  position: StreamPosition | undefined,
  stored: StreamChunk | undefined,
): ChunkDecision {
  if (!position) return { refused: 'the action is not known' };
  if (position.mode !== 'streaming' || nextState(position.state, 'chunk') === undefined) {
    return { refused: 'the action is not streaming now' };
  }
  if (stored) {
    return canonicalJson(stored) === canonicalJson(chunk)
      ? 'replay'
      : { refused: 'a chunk with this sequence was stored with other content' };
  }
  if (position.lastKind === 'done' || position.lastKind === 'error') return { refused: 'the stream has ended' };
  if (position.lastSequence !== null && chunk.sequence <= position.lastSequence) {
    return { refused: "the sequence must be greater than the last chunk's" };
  }
  return 'store';
}
