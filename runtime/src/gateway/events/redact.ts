import { isRawJson } from '../../protocol/json.js';

/** What is in place of a redacted value (docs/protocol/actions.md#redaction). */
export const REDACTED = { redacted: true } as const;

const WHOLE_NAMES = new Set(['authorization', 'cookie', 'set-cookie', 'raw_payload']);
const PARTS = /password|secret|token|credential|[_-]key$/;

/** Whether a member of this name may hold a secret: compared without regard to case. */
export function isSensitiveName(name: string): boolean {
  const lower = name.toLowerCase();
  return WHOLE_NAMES.has(lower) || PARTS.test(lower);
}

/**
 * The value with every member of a sensitive name replaced by {"redacted": true}, at any depth. What needs no change is
 * returned as it is, the very same reference.
 */
export function redact<T>(value: T): T {
  if (typeof value !== 'object' || value === null || isRawJson(value)) return value;
  return (Array.isArray(value) ? redactItems(value) : redactMembers(value as Record<string, unknown>)) as T;
}

function redactItems(items: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, item] of items.entries()) {
    const clean = redact(item);
    if (clean === item) continue;
    copy ??= [...items];
    copy[index] = clean;
  }
  return copy ?? items;
}

function redactMembers(members: Record<string, unknown>): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(members)) {
    const value = members[name];
    const clean = isSensitiveName(name) ? REDACTED : redact(value);
    if (clean === value) continue;
    copy ??= { ...members };
    copy[name] = clean;
  }
  return copy ?? members;
}
