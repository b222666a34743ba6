import { isDeepStrictEqual } from 'node:util';
import { TERMINAL_STATES } from '#runtime/gateway/actions/record/states.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import { type Aftermath, stagedEvents } from './aftermath.ts';
import { leaseProblems } from './leases.ts';

/** One check of a run: what it checked, and what is wrong. */
export interface Check {
  readonly name: string;
  readonly looked: number;
  readonly problems: readonly string[];
}

/** Checks everything that a fault must not break. A check that found nothing to check proves nothing, and fails. */
export function checkAll(after: Aftermath): Check[] {
  return [
    terminalStates(after),
    receiptChains(after),
    streams(after),
    events(after),
    effects(after),
    places(after),
    leases(after),
  ].map(({ looked, problems, name }) => ({
    name,
    looked,
    problems: looked === 0 ? [...problems, 'there was nothing to look at'] : problems,
  }));
}

/** Keys under which the provider was paid, and how often. */
function tally(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function terminalStates({ sent, actions, log }: Aftermath): Check {
  const problems: string[] = [];
  const ends = tally(log.flatMap(({ kind, action_id }) => (kind === 'aip.action.result' && action_id) || []));
  for (const { action, acknowledged, result } of sent) {
    const stored = actions.get(action.id);
    if (!stored) {
      if (acknowledged) problems.push(`${action.id} was accepted and is gone`);
      continue;
    }
    const { state } = stored;
    if (!(TERMINAL_STATES as readonly string[]).includes(state)) problems.push(`${action.id} is still ${state}`);
    else if (ends.get(action.id) !== 1) problems.push(`${action.id} has ${ends.get(action.id) ?? 0} terminal events`);
    if (result && !isDeepStrictEqual(result, stored.result))
      problems.push(`${action.id} was answered ${JSON.stringify(result)} and is ${JSON.stringify(stored.result)}`);
  }
  const looked = sent.filter(({ acknowledged }) => acknowledged).length;
  return { name: 'every accepted action has one terminal state', looked, problems };
}

function receiptChains({ chains }: Aftermath): Check {
  const problems: string[] = [];
  for (const [id, chain] of chains) {
    const verified = verifyReceiptChain(chain);
    if (!verified.ok) problems.push(`the receipts of ${id} do not verify: ${verified.problem}`);
    const types = chain.receipts.map(({ receipt_type }) => receipt_type);
    const ends = types.filter((type) => type === 'result_returned').length;
    if (types[0] !== 'action_accepted' || types.at(-1) !== 'result_returned' || ends !== 1)
      problems.push(`the receipts of ${id} do not run from its acceptance to one end: ${types.join(', ')}`);
  }
  return { name: 'receipt chains verify and end once', looked: chains.size, problems };
}

/** Chunks of `cap:demo:count` with n = 8: one for each number, and the end. */
const CHUNKS = 9;

function streams({ chunks, actions }: Aftermath): Check {
  const completed = [...chunks].filter(([id]) => actions.get(id)?.state === 'completed');
  const problems = completed.flatMap(([id, found]) => {
    const first = found[0] ?? 0;
    const wanted = Array.from({ length: CHUNKS }, (_, n) => first + n);
    return isDeepStrictEqual(found, wanted) ? [] : [`the chunks of ${id} are ${JSON.stringify(found)}`];
  });
  return { name: 'streams that completed are whole and in order', looked: completed.length, problems };
}

function events({ sent, actions, log }: Aftermath): Check {
  const counts = tally(log.map(({ id }) => id));
  const missing = stagedEvents(sent, actions).filter((id) => !counts.has(id));
  const twice = [...counts].filter(([, count]) => count !== 1);
  return {
    name: 'every acknowledged event is readable once',
    looked: stagedEvents(sent, actions).length,
    problems: [
      ...missing.map((id) => `the event ${id} is not in the log`),
      ...twice.map(([id, count]) => `the event ${id} was read ${count} times`),
    ],
  };
}

/** Codes of failures that leave open whether the provider acted. */
const OPEN_OUTCOMES: ReadonlySet<string> = new Set(['connector.outcome_unknown', 'sla.timeout_exceeded']);

function effects({ sent, actions, payments }: Aftermath): Check {
  const counts = tally(payments.map(({ key }) => key));
  const problems = [...counts].filter(([, count]) => count > 1).map(([key, count]) => `${key} was paid ${count} times`);
  for (const { action } of sent) {
    const stored = actions.get(action.id);
    if (!stored || !action.capability_id.startsWith('cap:payments:')) continue;
    const paid = counts.has(action.idempotency_key ?? action.id);
    const code = stored.result?.error?.code ?? '';
    if (stored.state === 'completed' && !paid) problems.push(`${action.id} completed and was never paid`);
    if (stored.state !== 'completed' && paid && !OPEN_OUTCOMES.has(code))
      problems.push(`${action.id} was paid and is ${stored.state} with ${code}`);
  }
  return { name: 'no provider effect is doubled, missing or denied', looked: payments.length, problems };
}

function places({ assignments, taken }: Aftermath): Check {
  const problems = taken.map((row) => `still taken: ${JSON.stringify(row)}`);
  return { name: 'places and counters are free at the end', looked: assignments, problems };
}

function leases({ leases: history }: Aftermath): Check {
  const looked = history.changes.length + history.takeovers.length;
  return { name: 'no two leases overlap', looked, problems: leaseProblems(history) };
}
