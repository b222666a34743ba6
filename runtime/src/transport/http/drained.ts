import type { Writable } from 'node:stream';

/** Resolves when the stream takes more, or is over. */
export function drained(stream: Writable): Promise<void> {
  return new Promise((done) => {
    const over = (): void => {
      stream.off('drain', over).off('close', over);
      done();
    };
    stream.on('drain', over).on('close', over);
    if (stream.destroyed) over();
  });
}
