import { isInteractive } from '../../progress/interactive.js';
import { progress } from '../../progress/progress.js';
import { paint } from '../paint.js';
import type { WatchSnapshot } from './snapshot.js';
import type { FleetView } from './view.js';

/** The view that fits: JSON lines when asked, live on a terminal, elsewhere a line for whatever changed. */
export async function openFleetView(title: string, json: boolean): Promise<FleetView> {
  const write = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  if (json) return changedLines((value) => write(JSON.stringify(value)), jsonOf);
  if (!isInteractive(process.stdout, process.env)) return changedLines(write, textOf);
  progress.pause();
  const { liveFleetView } = await import('./live-view.js');
  return liveFleetView(title);
}

/** One thing that a watch reports. */
type Change =
  | { kind: 'item'; line: string; json: Record<string, unknown> }
  | { kind: 'removed'; key: string }
  | { kind: 'lost'; reason: string };

/** Reports each item when it is first seen, whenever its line changes, and when it is gone. */
export function changedLines<T>(write: (told: T) => void, tell: (change: Change) => T): FleetView {
  let before: WatchSnapshot['items'] = new Map();
  let lost = false;
  return {
    show: ({ items, keepsMissing }) => {
      lost = false;
      for (const [key, item] of items) if (before.get(key)?.line !== item.line) write(tell({ kind: 'item', ...item }));
      if (keepsMissing) items = new Map([...before, ...items]);
      for (const key of before.keys()) if (!items.has(key)) write(tell({ kind: 'removed', key }));
      before = items;
    },
    lost: (reason) => {
      if (!lost) write(tell({ kind: 'lost', reason }));
      lost = true;
    },
    close: async () => {},
  };
}

function jsonOf(change: Change): Record<string, unknown> {
  if (change.kind === 'item') return change.json;
  return change.kind === 'removed' ? { removed: change.key } : { lost: change.reason };
}

function textOf(change: Change): string {
  const at = paint.dim(new Date().toTimeString().slice(0, 8));
  if (change.kind === 'item') return `${at} ${change.line}`;
  return change.kind === 'removed' ? `${at} ${change.key} is gone` : `${at} ${paint.warn(change.reason)}; again soon`;
}
