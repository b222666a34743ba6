import type { DocumentStore } from '../../../postgres/documents.js';
import { documentOf } from '../../../protocol/content/documents.js';
import type { ActionResult } from '../../../protocol/types.js';
import { StreamedJson } from '../../../transport/http/streamed-json.js';

/** The result with the document that it names in its place, to be streamed as it is sent; the result itself when it names none. */
export async function withDocument<R extends ActionResult>(
  result: R,
  store: Pick<DocumentStore, 'has' | 'read'> | undefined,
): Promise<R> {
  const place = documentOf(result.output);
  if (!place || !store || !(await store.has(result.action_id, place.digest))) return result;
  const { member, digest, bytes } = place;
  const document = new StreamedJson(bytes, () => store.read(result.action_id, digest));
  return { ...result, output: { ...(result.output as object), [member]: document } };
}
