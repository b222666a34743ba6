import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { BodyTooLarge, JsonInvalid, UnsupportedMediaType } from '../../protocol/errors.js';

/** After a body went over its bound this much more is read and dropped, for this long, so that the answer still reaches the sender. */
const LINGER_BYTES = 4_194_304;
const LINGER_MS = 1000;

/** The sender went away before its body was complete; nobody is left to answer. */
export class RequestAborted extends Error {}

/**
 * The whole body as text, at most `limit` bytes. With `json` the media type must be application/json or application/aip+json.
 * Throws BodyTooLarge (413; answer with `connection: close`), UnsupportedMediaType (415), JsonInvalid when it is not UTF-8, RequestAborted.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  options: { json?: boolean } = {},
): Promise<string> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    request.resume();
    throw new UnsupportedMediaType('send the body without content-encoding');
  }
  if (options.json && !isJsonMediaType(request.headers['content-type'])) {
    request.resume();
    throw new UnsupportedMediaType();
  }
  const bytes = await readBytes(request, limit);
  if (!isUtf8(bytes)) throw new JsonInvalid('the body is not UTF-8');
  return bytes.toString('utf8');
}

/** Whether a Content-Type names one of the two JSON media types, in UTF-8. */
export function isJsonMediaType(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (!['application/json', 'application/aip+json'].includes(type.trim())) return false;
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  return charset === undefined || ['utf-8', 'utf8'].includes(charset.slice(8).replaceAll('"', ''));
}

/**
 * The whole body as it came, at most `limit` bytes; with `drop` it is read to its end all the same, and nothing of it is kept. Throws
 * BodyTooLarge (413; answer with `connection: close`), RequestAborted.
 */
export function readBytes(
  request: IncomingMessage,
  limit: number,
  { drop: dropped = false }: { drop?: boolean } = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    let linger: NodeJS.Timeout | undefined;
    const finish = (settle: () => void): void => {
      clearTimeout(linger);
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      settle();
    };
    const tooLarge = (): void =>
      finish(() => {
        request.pause();
        reject(new BodyTooLarge(`the request body is larger than ${limit} bytes`));
      });
    const drop = (): void => {
      parts.length = 0;
      linger ??= setTimeout(tooLarge, LINGER_MS);
    };
    const onData = (part: Buffer): void => {
      size += part.length;
      if (size <= limit) {
        if (!dropped) parts.push(part);
      } else if (size > limit + LINGER_BYTES) tooLarge();
      else drop();
    };
    const onEnd = (): void => {
      if (size > limit) tooLarge();
      else finish(() => resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)));
    };
    const onGone = (): void => finish(() => reject(new RequestAborted('the sender went away')));
    if (Number(request.headers['content-length']) > limit + LINGER_BYTES) {
      reject(new BodyTooLarge(`the request body is larger than ${limit} bytes`));
      return;
    }
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
