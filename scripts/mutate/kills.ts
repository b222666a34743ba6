import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kill, Kills } from '../../test/mutations/plan.ts';

/** Kept with the lists of faults: a run in a new clone knows what earlier runs killed, and which test to run first. */
export const KILLS = 'test/mutations/generated/kills.json';

export function readKills(root: string): Map<string, Kill> {
  const path = join(root, KILLS);
  return new Map(existsSync(path) ? Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Kills) : []);
}

/** Writes those whose fault is still in the lists, which `whats` describes. */
export function writeKills(root: string, kills: ReadonlyMap<string, Kill>, whats: ReadonlySet<string>): void {
  writeFileSync(join(root, KILLS), textOf([...kills].filter(([what]) => whats.has(what))));
}

/** One line for each, in the order of their descriptions: a run changes no other lines than its own. */
function textOf(kills: readonly (readonly [string, Kill])[]): string {
  const lines = [...kills]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, { digest, file, test }]) => `  ${JSON.stringify(what)}: ${JSON.stringify({ digest, file, test })}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}
