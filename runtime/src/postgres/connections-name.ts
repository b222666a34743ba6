import { randomUUID } from 'node:crypto';

/** A name for the connections of one process: that of its program, and eight digits that no other process has. */
export function connectionsName(program: string): string {
  return `${program} ${randomUUID().slice(0, 8)}`;
}
