import { failure } from '../../../protocol/errors/aip-error.js';

/** The gateway stops. The stream continues at another one, or later, from the last event id. */
export class StreamInterrupted extends failure('stream.interrupted') {}
