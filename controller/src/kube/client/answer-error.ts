import {
  KubeConflict,
  KubeError,
  KubeForbidden,
  KubeGone,
  KubeInvalid,
  KubeNotFound,
  KubeUnavailable,
} from './errors.js';

/** What of a `Status` object this project reads; every member may be missing. */
export interface StatusObject {
  kind?: string;
  code?: number;
  reason?: string;
  message?: string;
  details?: { name?: string; kind?: string; retryAfterSeconds?: number };
}

/** The text as a `Status` object, or undefined when it is something else, as a proxy's own answer would be. */
export function parseStatus(text: string): StatusObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return (value as StatusObject | null)?.kind === 'Status' ? (value as StatusObject) : undefined;
  } catch {
    return undefined;
  }
}

/** The failure that an answer other than 2xx stands for. `retryAfter` is the header's text; only whole seconds are understood. */
export function answerError(code: number, status: StatusObject | undefined, retryAfter?: string): KubeError {
  const reason = status?.reason || `Status${code}`;
  const message = status?.message || `the API server answered with status ${code}`;
  switch (code) {
    case 401:
    case 403:
      return new KubeForbidden(code, reason, message);
    case 404:
      return new KubeNotFound(code, reason, message);
    case 409:
      return new KubeConflict(code, reason, message);
    case 410:
      return new KubeGone(code, reason, message);
    case 400:
    case 413:
    case 422:
      return new KubeInvalid(code, reason, message);
  }
  if (code !== 408 && code !== 429 && code < 500) return new KubeError(code, reason, message);
  const seconds = retryAfter === undefined ? status?.details?.retryAfterSeconds : Number(retryAfter);
  const retryAfterMs = seconds !== undefined && seconds >= 0 ? seconds * 1000 : undefined;
  return new KubeUnavailable(code, reason, message, { retryAfterMs });
}

/** Whether a 404 says that the object is missing, not that the server knows no such path or kind. */
export function namesMissingObject(status: StatusObject | undefined): boolean {
  return status?.reason === 'NotFound' && status.details?.name !== undefined;
}
