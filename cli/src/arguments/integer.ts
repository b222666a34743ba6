import { UsageError } from '../client/errors.js';

/** The integer that a flag's value says. Throws UsageError for another text and one outside `min` to `max`. */
export function integerOf(text: string, flag: string, { min, max }: { min?: number; max?: number }): number {
  const value = Number(text);
  const within = Number.isSafeInteger(value) && value >= (min ?? value) && value <= (max ?? value);
  if (/^[+-]?\d+$/.test(text) && within) return value;
  const range =
    min !== undefined && max !== undefined
      ? `an integer from ${min} to ${max}`
      : min !== undefined
        ? `an integer of at least ${min}`
        : max !== undefined
          ? `an integer of at most ${max}`
          : 'an integer';
  throw new UsageError(`--${flag} ${text} is not valid.`, `It must be ${range}.`);
}
