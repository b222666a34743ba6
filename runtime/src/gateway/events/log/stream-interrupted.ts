import { failure } from '../../../protocol/errors/aip-error.js';

/** The gateway stops. The stream continues at another one, or later, from the last event id. */
export class StreamInterrupted extends failure({
  code: 'stream.interrupted',
  category: 'transport',
  retryable: true,
  retryAfterMs: 500,
  message: 'the server stops; reconnect from the last event id',
}) {}
