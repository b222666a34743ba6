import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { BodyBudget, UnfinishedBody } from '../../../transport/http/body-budget.js';

/** Bytes of the header of a frame that a client sends in one piece. */
function headerBytes(payload: number): number {
  return payload < 126 ? 6 : payload < 65_536 ? 8 : 14;
}

/**
 * Counts the bytes of messages that a peer has begun and not finished against the budget of the server, as those of request bodies are. The
 * connection whose message is unfinished longest is cut when they need the bytes. Call it right after the upgrade, before bytes arrive.
 */
export function countUnfinishedFrames(peer: WebSocket, socket: Duplex, budget: BodyBudget): void {
  let unfinished: { readonly body: UnfinishedBody; bytes: number } | undefined;
  let finishedBytes = 0;
  const finished = (data: Buffer): void => {
    finishedBytes += data.length + headerBytes(data.length);
  };
  const end = (): void => {
    unfinished?.body.end();
    unfinished = undefined;
  };
  const begin = (): { readonly body: UnfinishedBody; bytes: number } => ({
    body: budget.begin(() => peer.terminate()),
    bytes: 0,
  });
  peer.on('message', finished);
  peer.on('ping', finished);
  peer.on('pong', finished);
  // Runs after the peer has taken the bytes and reported what they finish.
  socket.on('data', (bytes: Buffer) => {
    const before = unfinished?.bytes ?? 0;
    const left = before + bytes.length - finishedBytes;
    // What a message was cut into is not known: after its end nothing but the rest of these bytes can be unfinished.
    const now = finishedBytes > 0 ? Math.min(Math.max(left, 0), bytes.length) : left;
    finishedBytes = 0;
    if (now < before || now === 0) end();
    if (now === 0) return;
    unfinished ??= begin();
    const added = now - unfinished.bytes;
    unfinished.bytes = now;
    unfinished.body.add(added);
  });
  peer.once('close', end);
}
