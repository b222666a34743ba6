import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { NoGatewayPod } from '#cli/client/errors.js';
import { GatewayRefused } from '#runtime/client/errors.js';
import type { Gateway } from '#runtime/client/gateway.js';
import { submitAction } from '#runtime/client/submit.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { ActionEvents, ActionResult, ActionStatus, ReceiptChain } from '#runtime/protocol/types.js';
import { until } from '../../../support/until.ts';
import type { Release } from './release.ts';

const CALLERS = 4;
/** Chunks of a streaming action: its values and the end. */
const CHUNKS = 6;
const KINDS = [
  { capabilityId: 'cap:demo:echo', mode: 'sync', input: { text: 'load' } },
  { capabilityId: 'cap:demo:echo', mode: 'async', input: { text: 'load' } },
  { capabilityId: 'cap:demo:count', mode: 'streaming', input: { n: CHUNKS - 1, interval_ms: 200 } },
] as const;

/** One action that was sent, and what became of its submit. */
interface Sent {
  id: string;
  streams: boolean;
  problem?: string;
}

/** Actions of every kind, sent one after the other by a few callers until it is stopped. */
interface Load {
  /** How many actions were sent so far. */
  sent(): number;
  /** Ends the sending; returns what is wrong: submits that failed, actions without exactly one good end, receipts or chunks amiss. */
  stop(): Promise<string[]>;
}

/** How a load is sent and judged. */
interface LoadOptions {
  /** Problems that the work may cause. */
  forgiven?: RegExp;
  /** The way to the gateways; default: the command line's. */
  open?: () => Promise<{ gateway: Gateway; close(): Promise<void> }>;
}

/**
 * Does `work` with actions of every kind under way. Each that was taken must have one end with one result, receipts that verify, and, where it
 * streams, every chunk once.
 */
export async function underLoad(
  release: Release,
  work: (load: Pick<Load, 'sent'>) => Promise<void>,
  { forgiven, open = () => release.gateway() }: LoadOptions = {},
): Promise<void> {
  const { gateway, close } = await open();
  const load = startLoad(gateway);
  try {
    await work(load);
    await until('the load is one', () => load.sent() > 20, 60_000);
  } finally {
    const found = await load.stop().finally(close);
    const problems = found.filter((problem) => !forgiven?.test(problem));
    expect(problems.slice(0, 10), `${problems.length} problems`).toEqual([]);
  }
}

/** Sends through the CLI's own client: a submit whose answer got lost is read back, never repeated. */
function startLoad(gateway: Gateway): Load {
  const sent: Sent[] = [];
  let stopped = false;
  const caller = async (start: number): Promise<void> => {
    for (let n = start; !stopped; n += 1) {
      const { capabilityId, mode, input } = KINDS[n % KINDS.length] as (typeof KINDS)[number];
      const one: Sent = { id: newId('action'), streams: mode === 'streaming' };
      sent.push(one);
      try {
        await submitAction(gateway, { id: one.id, capabilityId, mode, input });
      } catch (error) {
        one.problem = withCauses(error);
      }
      await pause(100);
    }
  };
  const running = Promise.all(Array.from({ length: CALLERS }, (_, n) => caller(n)));
  return {
    sent: () => sent.length,
    stop: async () => {
      stopped = true;
      await running;
      const problems: string[] = [];
      for (const one of sent)
        problems.push(...(await problemsOf(gateway, one)).map((problem) => `${one.id} ${problem}`));
      return problems;
    },
  };
}

/** An error with all that caused it: which connection broke, and how. */
function withCauses(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  const text = code === undefined ? String(error) : `${error} (${code})`;
  return error.cause === undefined ? text : `${text} <- ${withCauses(error.cause)}`;
}

async function problemsOf(gateway: Gateway, { id, streams, problem }: Sent): Promise<string[]> {
  const get = (path: string): Promise<unknown> => onceReady(() => gateway.request({ method: 'GET', path }));
  if (problem) {
    const state = await get(`/aip/v1/actions/${id}`).then(
      (status) => (status as ActionStatus).state,
      (error: unknown) => {
        if (error instanceof GatewayRefused && error.code === 'action.not_found') return 'unknown';
        throw error;
      },
    );
    return [`was not taken: ${problem}; it is ${state}`];
  }
  const status = await until(
    `${id} has ended`,
    async () => {
      const found = (await get(`/aip/v1/actions/${id}`)) as ActionStatus;
      return ['completed', 'failed', 'cancelled', 'dead_lettered'].includes(found.state) ? found : undefined;
    },
    90_000,
  ).catch((error: unknown) => String(error));
  if (typeof status === 'string') return [status];
  const problems: string[] = [];
  if (status.state !== 'completed') {
    const { error } = (await get(`/aip/v1/actions/${id}/result`)) as ActionResult;
    problems.push(
      `(${status.capability_id}, ${status.completed_at}) ended as ${status.state}: ${JSON.stringify(error)}`,
    );
  }
  const chain = (await get(`/aip/v1/receipts/action:${id}`)) as ReceiptChain;
  if (!verifyReceiptChain(chain).ok) problems.push('has receipts that do not verify');
  const ends = chain.receipts.filter(({ receipt_type: type }) => type === 'result_returned').length;
  if (ends !== 1) problems.push(`has ${ends} receipts of its end`);
  if (streams && status.state === 'completed') {
    const { chunks = [] } = (await get(`/aip/v1/actions/${id}/chunks?limit=1000`)) as ActionEvents;
    const sequences = chunks.map(({ sequence }) => Number(sequence));
    const first = sequences[0] ?? 0;
    if (sequences.length !== CHUNKS || sequences.some((sequence, n) => sequence !== first + n))
      problems.push(`has the chunks ${sequences.join(', ')}`);
  }
  return problems;
}

/**
 * The outcome of a read, once a gateway Pod is ready to answer it and has what it needs: after an outage each is ready a moment after what it
 * needs, and its first connections may still be those to the database that is gone.
 */
async function onceReady(read: () => Promise<unknown>): Promise<unknown> {
  const outcome = await until('a gateway Pod is ready', () =>
    read().then(
      (value) => ({ value }),
      (error: unknown) => {
        if (error instanceof NoGatewayPod || isWithoutStorage(error)) throw error;
        return { error };
      },
    ),
  );
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

function isWithoutStorage(error: unknown): boolean {
  return error instanceof GatewayRefused && error.code === 'storage.unavailable';
}
