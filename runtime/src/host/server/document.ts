import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DocumentStore } from '../../postgres/documents.js';
import { ACCEPT_DOCUMENT, type DocumentPlace, documentOf, ENVELOPE_BYTES } from '../../protocol/content/documents.js';
import { parseJsonBytes } from '../../protocol/json.js';
import type { ActionResult } from '../../protocol/types.js';
import { drained } from '../../transport/http/drained.js';

/** A document whose bytes follow an envelope. */
export interface FollowingDocument {
  readonly bytes: number;
  readonly parts: AsyncIterable<Buffer>;
}

/** A result as it is answered: the document that it names follows where the caller takes it so, else it is put into the output. */
export async function answered(
  result: ActionResult,
  request: IncomingMessage,
  store: Pick<DocumentStore, 'has' | 'read'>,
): Promise<{ result: ActionResult; document?: FollowingDocument }> {
  const place = documentOf(result.output);
  if (!place || !(await store.has(result.action_id, place.digest))) return { result };
  const parts = store.read(result.action_id, place.digest);
  if (Number(request.headers[ACCEPT_DOCUMENT]) >= place.bytes) return { result, document: { ...place, parts } };
  return { result: await inlined(result, place, parts) };
}

async function inlined(
  result: ActionResult,
  { member }: DocumentPlace,
  parts: AsyncIterable<Buffer>,
): Promise<ActionResult> {
  const value = parseJsonBytes(Buffer.concat(await Array.fromAsync(parts)));
  return { ...result, output: { ...(result.output as object), [member]: value } };
}

/** Sends an envelope and the document after it, as fast as the caller reads. */
export async function sendWithDocument(
  response: ServerResponse,
  envelope: string,
  { bytes, parts }: FollowingDocument,
): Promise<void> {
  const head = Buffer.from(envelope);
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': head.length + bytes,
    [ENVELOPE_BYTES]: head.length,
  });
  response.write(head);
  try {
    for await (const part of parts) {
      if (response.destroyed) return;
      if (!response.write(part)) await drained(response);
    }
    response.end();
  } catch (error) {
    // The answer has begun: only its end can show that it is not complete.
    response.destroy(error as Error);
  }
}
