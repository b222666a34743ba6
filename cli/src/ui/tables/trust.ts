import type { TrustPhase, TrustState } from '../../trust/trust-status.js';
import { age } from '../age.js';
import { paint } from '../paint.js';
import { table } from './table.js';

const MEANING: Readonly<Record<TrustPhase, string>> = {
  active: 'no rotation is under way',
  requested: 'rotation requested; the controller has not started it',
  announced: 'the next one is published, the old one still signs',
  overlapping: 'the next one signs, the old one is still trusted',
  missing: 'there is no such Secret',
};

const STYLE: Readonly<Record<TrustPhase, (text: string) => string>> = {
  active: (text) => paint.good(text),
  requested: (text) => paint.warn(text),
  announced: (text) => paint.warn(text),
  overlapping: (text) => paint.warn(text),
  missing: (text) => paint.bad(text),
};

/** What the fleet trusts, and how far rotations are; below each part its keys or authorities, the active one first. */
export function trustTable(states: readonly TrustState[], now: number, width?: number): string {
  const [head = '', ...lines] = table(
    states,
    [
      { title: 'TRUST', value: (row) => row.subject, paint: (text) => paint.strong(text) },
      { title: 'PHASE', value: (row) => row.phase, paint: (text, row) => STYLE[row.phase](text) },
      { title: 'SINCE', value: (row) => age(row.since, now), align: 'right' },
      {
        title: 'MEANING',
        value: (row) => `${MEANING[row.phase]}${row.queued ? '; a further one waits' : ''}`,
        shrink: 'end',
      },
    ],
    width,
  ).split('\n');
  return [
    head,
    ...states.flatMap((state, at) => [
      lines[at] ?? '',
      ...state.trusted.map(
        ({ id, not_after }, place) =>
          `  ${paint.dim(place === state.trusted.length - 1 ? '└' : '├')} ${id}${not_after ? paint.dim(`  until ${not_after.slice(0, 10)}`) : ''}`,
      ),
    ]),
  ].join('\n');
}
