import { NamedError } from '../../protocol/errors/named-error.js';

/** Codes of the answers that refuse a delivery. */
export type WebhookCode =
  | 'webhook.missing_header'
  | 'webhook.invalid_timestamp'
  | 'webhook.invalid_utf8'
  | 'webhook.authentication_failed'
  | 'webhook.invalid_delivery'
  | 'webhook.invalid_mapping'
  | 'webhook.storage_unavailable';

const STATUS: Record<WebhookCode, number> = {
  'webhook.missing_header': 400,
  'webhook.invalid_timestamp': 400,
  'webhook.invalid_utf8': 400,
  'webhook.authentication_failed': 401,
  'webhook.invalid_delivery': 400,
  'webhook.invalid_mapping': 500,
  'webhook.storage_unavailable': 503,
};

/** A delivery that is refused. The message is for the log; the answer holds the code alone, since a body could hold secrets or payload. */
export class WebhookRefused extends NamedError {
  readonly code: WebhookCode;
  readonly status: number;

  constructor(code: WebhookCode, why: string, cause?: unknown) {
    super(why, { cause });
    this.code = code;
    this.status = STATUS[code];
  }
}
