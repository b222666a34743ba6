import type { Manifest } from '../../protocol/types.js';

/** Whether the manifest declares the channel: as a string, or as an object whose `id` (else `channel_id`) is it (docs/protocol/manifest.md#manifest). */
export function declaresChannel(manifest: Manifest, channelId: string): boolean {
  return (manifest.channels ?? []).some((channel) => {
    if (typeof channel === 'string') return channel === channelId;
    const { id, channel_id } = channel as { id?: unknown; channel_id?: unknown };
    return (id ?? channel_id) === channelId;
  });
}
