import { age } from '../../age.js';

/** Work that a host still holds while it takes no new one. */
export interface HeldWork {
  pinned_actions: number;
  /** When the host is ended at the latest, RFC 3339; null where nothing ends it. */
  removed_by: string | null;
}

/** `3 for up to 4m`, actions and the time left; without a deadline the number alone. */
export function heldWorkText({ pinned_actions: count, removed_by: end }: HeldWork, now: number): string {
  return end === null ? String(count) : `${count} for up to ${age(new Date(now).toISOString(), Date.parse(end))}`;
}
