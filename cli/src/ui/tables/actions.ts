import type { ActionList, ActionStatus } from '@aip/runtime/protocol/types.js';
import { paint, paintState } from '../paint.js';
import { type Column, table } from './table.js';

const COLUMNS: Column<ActionStatus>[] = [
  { title: 'ACTION', value: (row) => row.action_id },
  { title: 'CAPABILITY', value: (row) => row.capability_id ?? '', shrink: true },
  { title: 'STATE', value: (row) => row.state, paint: (text) => paintState(text) },
  { title: 'UPDATED', value: (row) => row.updated_at.replace(/\.\d+Z$/, 'Z'), shrink: true },
];

/** A page of actions for people; says how to get the next page. */
export function actionTable(page: ActionList, width?: number): string {
  if (page.actions.length === 0) return 'No actions.';
  const text = table(page.actions, COLUMNS, width);
  if (!page.cursor) return text;
  return `${text}\n${paint.dim(`${page.actions.length} of ${page.total_size}; next page: --cursor ${page.cursor}`)}`;
}
