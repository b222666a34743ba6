import { canonicalJson } from '../../../protocol/canonical.js';
import type { Channel } from '../log/channel.js';
import { selectsEvent } from '../selection.js';
import type { Stream } from './stream.js';

/** The channel of a stream of the whole log: that of all streams which show the same events and write the same cursors. */
export function channelOf({ selection, cursors }: Stream): Channel {
  const { access, kinds, events } = selection;
  return {
    name: canonicalJson({ access, kinds: kinds ?? null, events, binding: cursors.binding }),
    selects: (row) => selectsEvent(selection, row),
  };
}
