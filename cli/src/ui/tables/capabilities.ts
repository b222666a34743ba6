import type { CapabilityPage } from '@aip/runtime/internal/client';
import type { Capability } from '@aip/runtime/internal/protocol';
import { paint } from '../paint.js';
import { table } from './table.js';

/** The modes a capability supports, as its contract says. */
function modes(capability: Capability): string {
  const execution = capability.contract?.execution;
  if (!execution) return '';
  const names: [string, boolean][] = [
    ['sync', execution.supports_sync],
    ['async', execution.supports_async],
    ['streaming', execution.supports_streaming],
  ];
  return names
    .filter(([, supported]) => supported)
    .map(([name]) => name)
    .join(' ');
}

/** A page of capabilities for people. */
export function capabilityTable(page: CapabilityPage, view: { width?: number | undefined; wide?: boolean }): string {
  const rows = page.capabilities.map((row) => row.capability);
  if (rows.length === 0) return 'No capabilities match.';
  const text = table(
    rows,
    [
      { title: 'CAPABILITY', value: (row) => row.id, shrink: 'middle', least: 20 },
      { title: 'NAME', value: (row) => row.name, shrink: 'end', drop: 2 },
      { title: 'RISK', value: (row) => row.risk ?? '' },
      { title: 'MODES', value: modes, drop: 1 },
      { title: 'DESCRIPTION', value: (row) => row.description ?? '', shrink: 'end', drop: 3 },
    ],
    view.width,
    { wide: view.wide === true },
  );
  if (!page.next_cursor) return text;
  return `${text}\n${paint.dim(`${rows.length} of ${page.total}; next page: --cursor ${page.next_cursor}`)}`;
}
