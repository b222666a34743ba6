import type { DocumentStore } from '../../postgres/documents.js';
import { documentValue, INLINE_DOCUMENT_BYTES } from '../../protocol/content/documents.js';
import { JsonInvalid } from '../../protocol/errors.js';
import { parseJsonBytes } from '../../protocol/json.js';

/**
 * The value that stands for a JSON document in an output: the document itself when it is small and can be signed as
 * JSON, else a reference to the stored one. Throws JsonInvalid and what `parts` throws.
 */
export async function documentValueOf(
  parts: AsyncIterable<Uint8Array>,
  actionId: string,
  store: Pick<DocumentStore, 'write'>,
): Promise<unknown> {
  const source = parts[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  while (!ended && size <= INLINE_DOCUMENT_BYTES) {
    const { done, value } = await source.next();
    if (done) ended = true;
    else {
      first.push(value);
      size += value.length;
    }
  }
  if (ended && size === 0) return null;
  if (ended && size <= INLINE_DOCUMENT_BYTES) {
    try {
      return parseJsonBytes(Buffer.concat(first, size));
    } catch (error) {
      // Names given twice, lone surrogates and the like are JSON that cannot be signed; such a document travels as it is.
      if (!(error instanceof JsonInvalid)) throw error;
    }
  }
  return documentValue(await store.write(actionId, joined(first, source)));
}

async function* joined(first: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
