import { TERMINAL_STATES } from '@aip/runtime/internal/client';
import { MAX_TOTAL_SIZE } from '@aip/runtime/internal/limits';
import type { ActionsPage, ListedAction } from '../../client/list-actions.js';
import { shortDuration } from '../../duration.js';
import { age } from '../age.js';
import { paint, paintState } from '../paint.js';
import { type Column, table } from './table.js';

const columns = (now: number): Column<ListedAction>[] => [
  { title: 'ACTION', value: ({ status }) => status.action_id, shrink: 'id' },
  { title: 'CAPABILITY', value: ({ status }) => status.capability_id ?? '', shrink: 'middle', least: 14 },
  { title: 'STATE', value: ({ status }) => status.state, paint: (text) => paintState(text) },
  { title: 'AGE', value: ({ status }) => age(status.started_at ?? status.updated_at, now), align: 'right' },
  { title: 'TOOK', value: (row) => took(row, now), align: 'right', drop: 2 },
  {
    title: 'ERROR',
    value: ({ error }) => (error ? `${error.code}: ${error.message}` : ''),
    shrink: 'end',
    least: 12,
    drop: 1,
    paint: (text) => paint.bad(text),
  },
  { title: 'SESSION', value: ({ status }) => status.session_id ?? '', wide: true },
  { title: 'TRANSACTION', value: ({ status }) => status.transaction_id ?? '', wide: true },
  { title: 'UPDATED', value: ({ status }) => status.updated_at.replace(/\.\d+Z$/, 'Z'), wide: true },
];

/** A page of actions for people; says how to get to older ones. */
export function actionTable(
  page: ActionsPage,
  view: { width?: number | undefined; wide?: boolean; now?: number } = {},
): string {
  if (page.actions.length === 0) return 'No actions.';
  const text = table(page.actions, columns(view.now ?? Date.now()), view.width, { wide: view.wide === true });
  if (page.cursor === undefined) return text;
  return `${text}\n${paint.dim(`${page.actions.length} of ${counted(page.total)}; older ones: --cursor ${page.cursor}`)}`;
}

/** A total that the gateway may have stopped counting. */
function counted(total: number): string {
  return total < MAX_TOTAL_SIZE ? String(total) : `${total} or more`;
}

/** How long it took, or has taken so far. */
function took({ status }: ListedAction, now: number): string {
  const from = Date.parse(status.started_at ?? '');
  if (Number.isNaN(from)) return '–';
  const ended = TERMINAL_STATES.has(status.state);
  const to = ended ? Date.parse(status.completed_at ?? status.updated_at) : now;
  return Number.isNaN(to) ? '–' : shortDuration(Math.max(0, to - from));
}
