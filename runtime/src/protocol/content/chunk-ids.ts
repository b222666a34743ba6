import { createHash } from 'node:crypto';

/** Event id of a stream chunk, the same whoever derives it (docs/protocol/signing.md#other-signed-values). */
export function chunkEventId(actionId: string, sequence: number): string {
  return `evt_stream_${chunkHash('aip.stream.chunk.event.v1', actionId, sequence)}`;
}

/** Message id of a stream chunk's delivery to the client's callback, the same for every attempt (docs/protocol/signing.md#other-signed-values). */
export function chunkCallbackMessageId(actionId: string, sequence: number): string {
  return `msg_stream_${chunkHash('aip.stream.chunk.callback.v1', actionId, sequence)}`;
}

function chunkHash(label: string, actionId: string, sequence: number): string {
  const position = Buffer.alloc(8);
  position.writeBigUInt64BE(BigInt(sequence));
  return createHash('sha256').update(`${label}\0${actionId}\0`).update(position).digest('hex');
}
