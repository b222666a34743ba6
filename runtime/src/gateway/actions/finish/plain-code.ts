import { cutText } from '../../../protocol/content/cut-text.js';
import { isPlainId } from '../../../protocol/ids.js';
import type { ActionResult } from '../../../protocol/types.js';

/** Of an error code that is stored. */
const MAX_CODE_BYTES = 256;

/** The result with a code that the storage takes as text, of 256 bytes at most: a connector or a peer may put any characters into it. */
export function withPlainCode(result: ActionResult): ActionResult {
  const { error } = result;
  if (error === undefined || isPlainId(error.code)) return result;
  return { ...result, error: { ...error, code: cutText(error.code.replace(/\p{Cc}/gu, ''), MAX_CODE_BYTES) } };
}
