import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { drained } from './drained.js';

/** A value inside an answer whose JSON text is streamed when the answer is sent, and never held as a whole. */
export class StreamedJson {
  readonly bytes: number;
  readonly open: () => AsyncIterable<Uint8Array>;

  constructor(bytes: number, open: () => AsyncIterable<Uint8Array>) {
    this.bytes = bytes;
    this.open = open;
  }

  /** Notes itself for the text that is being written, and is a mark in it. */
  toJSON(): string {
    const token = randomUUID();
    found.set(`"${token}"`, this);
    return token;
  }
}

/** What the text that is being written holds. */
let found = new Map<string, StreamedJson>();

/** The JSON text of a value, in pieces: text, and what is streamed between. Without a StreamedJson it is one text. */
export function jsonPieces(body: unknown): (string | StreamedJson)[] {
  if (found.size > 0) found = new Map();
  const text = JSON.stringify(body);
  if (found.size === 0) return [text];
  const pieces: (string | StreamedJson)[] = [];
  let rest = text;
  for (const [token, value] of found) {
    const at = rest.indexOf(token);
    pieces.push(rest.slice(0, at), value);
    rest = rest.slice(at + token.length);
  }
  return [...pieces, rest];
}

/** Writes pieces as the body of an answer whose head is sent, as fast as the caller reads; an answer that cannot be completed is broken off. */
export async function writePieces(response: ServerResponse, pieces: readonly (string | StreamedJson)[]): Promise<void> {
  try {
    for (const piece of pieces) {
      if (typeof piece === 'string') response.write(piece);
      else
        for await (const part of piece.open()) {
          if (response.destroyed) return;
          if (!response.write(part)) await drained(response);
        }
    }
    response.end();
  } catch (error) {
    response.destroy(error as Error);
  }
}
