/** The one RFC 3339 pattern: date, T, time, optional fraction, Z or offset. */
const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** What this program writes itself, and the engine reads exactly: in UTC, with at most milliseconds, on a day that every month has. */
const PLAIN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{0,2}[1-9])?Z$/;

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DAY_MS = 86_400_000;

/** A lease end on the wire: year, ordinal day, hour, minute, second, nanosecond, offset hours, minutes, seconds. */
export type LeaseArray = [number, number, number, number, number, number, number, number, number];

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** `Date.UTC` without its rewriting of the years 0 to 99. */
function utc(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  ms: number,
): number {
  if (year > 99) return Date.UTC(year, month, day, hour, minute, second, ms);
  return Date.UTC(year + 400, month, day, hour, minute, second, ms) - 146_097 * DAY_MS;
}

/**
 * RFC 3339 in the normal form that signatures need: UTC as `Z`, no fraction when it is zero, no trailing zeros in it
 * (docs/protocol/signing.md#normal-form). `ms` is milliseconds since the epoch, years 0000 to 9999.
 */
export function formatTime(ms: number): string {
  if (ms !== formatted.ms) formatted = { ms, text: formattedTime(ms) };
  return formatted.text;
}

/** The time that was formatted last: one message is full of the same. */
let formatted = { ms: Number.NaN, text: '' };

function formattedTime(ms: number): string {
  const text = new Date(ms).toISOString();
  if (text.length !== 24) throw new RangeError(`the time ${ms} is outside the years 0000 to 9999`);
  if (text.endsWith('.000Z')) return `${text.slice(0, 19)}Z`;
  if (text.endsWith('00Z')) return `${text.slice(0, 21)}Z`;
  return text.endsWith('0Z') ? `${text.slice(0, 22)}Z` : text;
}

/**
 * An RFC 3339 text in the normal form that signatures need: upper-case T and Z, `Z` for the offset of UTC, a fraction of
 * 1 to 9 digits without trailing zeros, or none. Other offsets and the digits stay as they are. Throws a RangeError.
 */
export function normalTime(text: string): string {
  if (PLAIN.test(text)) return text;
  parseTime(text);
  const zone = /(?:[Zz]|[+-]\d{2}:\d{2})$/.exec(text)?.[0] as string;
  const fraction = /\.(\d+)/.exec(text)?.[1]?.slice(0, 9).replace(/0+$/, '') ?? '';
  const local = text.slice(0, 19).toUpperCase();
  return `${local}${fraction === '' ? '' : `.${fraction}`}${/^(?:[Zz]|[+-]00:00)$/.test(zone) ? 'Z' : zone}`;
}

/** Milliseconds since the epoch of an RFC 3339 text with offset; finer digits are cut off. Throws a RangeError. */
export function parseTime(text: string): number {
  if (PLAIN.test(text)) return Date.parse(text);
  const match = RFC3339.exec(text);
  if (match === null) throw new RangeError('a time must be RFC 3339 with Z or an offset, like 2026-07-09T00:00:00.25Z');
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [fraction = '', sign = '+', offsetHours = '0', offsetMinutes = '0'] = match.slice(7);
  const days = month === 2 && isLeap(year) ? 29 : (MONTH_DAYS[month - 1] ?? 0);
  const exists = day >= 1 && day <= days && hour < 24 && minute < 60 && second < 61;
  if (!exists || +offsetHours > 23 || +offsetMinutes > 59) {
    throw new RangeError('a time must name an existing date, time of day and offset');
  }
  const offset = (sign === '-' ? -1 : 1) * (+offsetHours * 60 + +offsetMinutes);
  const isLeapSecond = second === 60;
  const ms = isLeapSecond ? 999 : +fraction.slice(0, 3).padEnd(3, '0');
  const instant = utc(year, month - 1, day, hour, minute, isLeapSecond ? 59 : second, ms) - offset * 60_000;
  if (isLeapSecond && !endsMonth(instant)) throw new RangeError('second 60 exists only at the end of a month in UTC');
  return instant;
}

function endsMonth(ms: number): boolean {
  const next = new Date(ms + 1);
  return next.getUTCDate() === 1 && next.getUTCHours() === 0 && next.getUTCMinutes() === 0;
}

/** The nine-item form of a lease end, in UTC; the day is counted from 1, so 31 December of a leap year is 366. */
export function leaseArray(ms: number): LeaseArray {
  const at = new Date(ms);
  const year = at.getUTCFullYear();
  const ordinal = Math.floor((ms - utc(year, 0, 1, 0, 0, 0, 0)) / DAY_MS) + 1;
  const nanosecond = at.getUTCMilliseconds() * 1_000_000;
  return [year, ordinal, at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds(), nanosecond, 0, 0, 0];
}

/** Milliseconds since the epoch of a nine-item time, its offset applied. Throws a RangeError for anything else. */
export function parseLeaseArray(items: readonly number[]): number {
  if (!Array.isArray(items) || items.length !== 9 || !items.every(Number.isInteger)) {
    throw new RangeError('a lease time must be an array of nine integers');
  }
  const [year, ordinal, hour, minute, second, nanosecond, offsetHours, offsetMinutes, offsetSeconds] =
    items as LeaseArray;
  const within = (value: number, low: number, high: number) => value >= low && value <= high;
  const offset = [offsetHours, offsetMinutes, offsetSeconds];
  const valid =
    within(year, 0, 9999) &&
    within(ordinal, 1, isLeap(year) ? 366 : 365) &&
    within(hour, 0, 23) &&
    within(minute, 0, 59) &&
    within(second, 0, 59) &&
    within(nanosecond, 0, 999_999_999) &&
    within(offsetHours, -25, 25) &&
    within(offsetMinutes, -59, 59) &&
    within(offsetSeconds, -59, 59) &&
    (offset.every((part) => part >= 0) || offset.every((part) => part <= 0));
  if (!valid) throw new RangeError('a lease time must name an existing day, time of day and offset');
  const local = utc(year, 0, 1, hour, minute, second, Math.floor(nanosecond / 1_000_000)) + (ordinal - 1) * DAY_MS;
  return local - ((offsetHours * 60 + offsetMinutes) * 60 + offsetSeconds) * 1000;
}
