import { ControlRejected, failure } from '../../protocol/errors.js';

/** The control plane refused a command permanently, signed; the same request must not be sent again. */
export class LeaseRefused extends ControlRejected {}

/**
 * It is not known whether a command was committed: no answer, an answer that cannot be read or trusted, or "try again". The exact bytes may
 * be sent again.
 */
export class LeaseUncertain extends failure('connector_control.unavailable') {}
