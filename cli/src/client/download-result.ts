import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkId } from '@aip/runtime/internal/client';
import { fileProblem, type Gateway } from '@aip/runtime/internal/gateway';
import { UsageError } from './errors.js';

/**
 * Writes the body of a result as the gateway sends it to a stream or a file; it is never held whole. A file appears only when it is complete, readable
 * by its owner alone. Gives the number of bytes. Throws GatewayRefused, UsageError.
 */
export async function downloadResult(
  gateway: Gateway,
  id: string,
  to: NodeJS.WritableStream | { file: string },
): Promise<number> {
  const body = await gateway.download({ path: `/aip/v1/actions/${encodeURIComponent(checkId('action', id))}/result` });
  let bytes = 0;
  const count = async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const part of source) {
      bytes += part.length;
      yield part;
    }
  };
  const source = Readable.fromWeb(body as never);
  if (!('file' in to)) {
    await pipeline(source, count, to, { end: false });
    return bytes;
  }
  const partial = `${to.file}.part`;
  try {
    await pipeline(source, count, createWriteStream(partial, { mode: 0o600 }));
    await rename(partial, to.file);
  } catch (error) {
    await rm(partial, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR' || code === 'ENOSPC')
      throw new UsageError(
        `${to.file} can't be written: ${fileProblem(error)}.`,
        'Check the path, its mode and the free space.',
      );
    throw error;
  }
  return bytes;
}
