/** Headers as undici gives them. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

const REQUEST_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,510}[\x21-\x7e])?$/;
const MAX_TEXT = 2048;
const MAX_TEXTS = 16;
const ERROR_MEMBERS = ['statusCode', 'error', 'message', 'messages', 'code'] as const;

/** The provider's id of the request: x-request-id when it is valid, else traceparent, else null; 1 to 512 printable characters. */
export function requestIdOf(headers: AnswerHeaders): string | null {
  for (const name of ['x-request-id', 'traceparent']) {
    const value = firstOf(headers[name]);
    if (value !== undefined && REQUEST_ID.test(value)) return value;
  }
  return null;
}

/** Milliseconds of a Retry-After header in whole seconds; undefined for none and for a date. */
export function retryAfterOf(headers: AnswerHeaders): number | undefined {
  const value = firstOf(headers['retry-after']);
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) * 1000 : undefined;
}

/** The text members of a provider's error body that may be passed on: known names, bounded, control characters blanked. */
export function providerErrorOf(body: unknown): Record<string, unknown> | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const found: Record<string, unknown> = {};
  for (const name of ERROR_MEMBERS) {
    const value = (body as Record<string, unknown>)[name];
    if (typeof value === 'string') found[name] = bounded(value);
    else if (typeof value === 'number') found[name] = value;
    else if (Array.isArray(value)) {
      const texts = value.filter((item): item is string => typeof item === 'string');
      found[name] = texts.slice(0, MAX_TEXTS).map(bounded);
    }
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function bounded(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is blanked
  return text.slice(0, MAX_TEXT).replace(/[\u0000-\u001f\u007f]/g, ' ');
}
