import { NamedError } from '@aip/runtime/internal/protocol';

/** The kubeconfig, or the service account, names no usable API server or user. */
export class KubeConfigInvalid extends NamedError {}

/** The API server refused or could not be reached; `status` is its HTTP status, 0 for none. */
export class KubeError extends NamedError {
  readonly status: number;
  /** The server's own reason, such as `AlreadyExists`. */
  readonly reason: string;
  constructor(status: number, reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.reason = reason;
  }
}

/** No answer, too many requests, or a fault of the server: the same request may succeed later. */
export class KubeUnavailable extends KubeError {
  /** How long the server asked to wait, in ms; absent when it did not say. */
  readonly retryAfterMs: number | undefined;
  constructor(
    status: number,
    reason: string,
    message: string,
    options: ErrorOptions & { retryAfterMs?: number | undefined } = {},
  ) {
    super(status, reason, message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}
/** The object is not there. */
export class KubeNotFound extends KubeError {}
/** Another client changed or made the object: read it again. */
export class KubeConflict extends KubeError {}
/** The API server no longer keeps the version from which a watch should start: list again. */
export class KubeGone extends KubeError {}
/** Not allowed: rights are missing, a quota is used up, or an admission rule says no. */
export class KubeForbidden extends KubeError {}
/** The object breaks a rule of its kind. */
export class KubeInvalid extends KubeError {}

/** Whether the cause of a failure may be gone at any time, without a change of the request. */
export function mayPass(error: unknown): error is KubeUnavailable | KubeConflict {
  return error instanceof KubeUnavailable || error instanceof KubeConflict;
}
