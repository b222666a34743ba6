import { readFileSync } from 'node:fs';

/** Descriptors that connections of clients may not take: databases, hosts, files and what is accepted already need them. */
const RESERVED = 256;
/** So many connections are served however few descriptors there are. */
const FEWEST = 64;

/** The connections that a server may hold so that work it accepted finds descriptors; undefined where nothing bounds them. */
export function connectionBound(limits = readLimits()): number | undefined {
  const soft = /^Max open files\s+(\d+)\s/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Math.max(FEWEST, Number(soft) - RESERVED);
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
