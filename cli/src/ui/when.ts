import { age } from './age.js';

/** A time for people: to the second, and how long ago it was or how soon it comes. Absent for no time. */
export function when(at: string | null | undefined, now = Date.now()): string | undefined {
  if (!at) return undefined;
  const then = Date.parse(at);
  if (Number.isNaN(then)) return at;
  const second = at.replace(/\.\d+Z$/, 'Z');
  return then > now ? `${second} (in ${age(new Date(now).toISOString(), then)})` : `${second} (${age(at, now)} ago)`;
}

/** A time to the millisecond, always of one width. */
export function precise(at: string): string {
  const then = Date.parse(at);
  return Number.isNaN(then) ? at : new Date(then).toISOString();
}
