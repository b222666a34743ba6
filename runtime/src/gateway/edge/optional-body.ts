import type { IncomingMessage } from 'node:http';
import { AipError } from '../../protocol/errors.js';
import { parseJson } from '../../protocol/json.js';
import { readBody } from '../../transport/http/body.js';

/** Bytes of such a body. */
const MAX_BYTES = 65_536;

/**
 * The texts of an optional body: nothing, or a JSON object with at most the named members, each of them text. Throws
 * `envelope.decode.invalid`, BodyTooLarge, `http.unsupported_media_type`, JsonInvalid.
 */
export async function readOptionalTexts<N extends string>(
  request: IncomingMessage,
  names: readonly N[],
): Promise<{ [K in N]?: string }> {
  const given = request.headers['content-type'] !== undefined;
  const text = await readBody(request, MAX_BYTES, { json: given });
  if (text.trim() === '') return {};
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AipError('envelope.decode.invalid', 'the body must be a JSON object');
  for (const [name, member] of Object.entries(value)) {
    if (!(names as readonly string[]).includes(name))
      throw new AipError('envelope.decode.invalid', `the body takes no members but ${names.join(', ')}`);
    if (typeof member !== 'string' || member.includes('\0'))
      throw new AipError('envelope.decode.invalid', `${name} must be text without a zero character`);
  }
  return value as { [K in N]?: string };
}
