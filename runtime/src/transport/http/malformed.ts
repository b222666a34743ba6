import type { IncomingMessage } from 'node:http';
import { AipError } from '../../protocol/errors.js';

/** Headers of which a second line would leave open which one counts. */
const ONCE = ['host', 'authorization', 'content-type'];

/** Why a request may not be served as HTTP, or undefined: a header that has to be unique is there twice (RFC 9112, 3.2). */
export function malformedProblem({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): AipError | undefined {
  for (const name of ONCE) {
    let lines = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) lines += 1;
    if (lines > 1) return new AipError('http.malformed_request', `the request has ${lines} ${name} headers; send one`);
  }
  return undefined;
}
