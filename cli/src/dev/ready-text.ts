import type { DevInfo } from '@aip/controller/internal/data-folder';
import { paint } from '../ui/paint.js';

/** How many instances are ready, with a mark that says whether that is all of them. */
export function readyText({ instances_ready: ready, instances_total: total }: DevInfo): string {
  if (total === 0) return `${paint.warn('!')} ready without instances`;
  if (ready < total) return `${paint.warn('!')} ${ready} of ${total} instances ready`;
  return `${paint.good('✓')} ready`;
}
