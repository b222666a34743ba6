import { shortDuration } from '@aip/runtime/internal/duration';
import * as Flags from '@oclif/core/flags';
import { UsageError } from './client/errors.js';

export { shortDuration };

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `500ms`, `90s`, `1h30m` or `7d`. Throws UsageError. */
export function parseDuration(text: string): number {
  const parts = [...text.trim().matchAll(/(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)/g)];
  const whole = parts.map(([part]) => part).join('');
  if (parts.length === 0 || whole !== text.trim())
    throw new UsageError(
      /^\d+$/.test(text.trim())
        ? `${JSON.stringify(text)} is a duration without a unit.`
        : `${JSON.stringify(text)} is not a duration.`,
      /^\d+$/.test(text.trim())
        ? `Write ${text.trim()}s or ${text.trim()}ms.`
        : 'Write it like 500ms, 90s, 1h30m or 7d.',
    );
  return Math.round(parts.reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS[unit ?? ''] ?? 0), 0));
}

/** A flag that takes a duration and gives milliseconds between `min` and `max`. */
export const durationFlag = Flags.custom<number, { min?: number; max?: number }>({
  helpValue: 'DURATION',
  parse: async (text, _context, { min = 1, max = Number.MAX_SAFE_INTEGER, name }) => {
    const ms = parseDuration(text);
    if (ms < min || ms > max)
      throw new UsageError(
        `--${name} ${text} is out of range.`,
        max === Number.MAX_SAFE_INTEGER
          ? `It must be at least ${shortDuration(min)}.`
          : `It must be between ${shortDuration(min)} and ${shortDuration(max)}.`,
      );
    return ms;
  },
});

/** A time that is left, in whole seconds: `12s`, `3m20s`. */
export function timeLeft(ms: number): string {
  return shortDuration(Math.ceil(Math.max(0, ms) / 1000) * 1000).replace(/^0ms$/, '0s');
}
