import { pino } from 'pino';
import type { AskRule } from '#runtime/gateway/dispatch/ask.js';
import { type Dispatcher, openDispatcher, type RemoteWork } from '#runtime/gateway/dispatch/dispatcher.js';
import type { SchedulerLimits } from '#runtime/gateway/dispatch/scheduler-limits.js';
import type { Envelope } from '#runtime/protocol/envelope.js';
import { RemoteError } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Action } from '#runtime/protocol/types.js';
import type { PolicyLimits } from '#runtime/registry/policies.js';
import type { SendOptions } from '#runtime/transport/peer/client.js';
import { PeerTransportFailed } from '#runtime/transport/peer/errors.js';
import { type Fleet, startFleet, TENANT, TRUST_DOMAIN } from '../../../registry/fleet.ts';
import { resultOf } from '../testbed.ts';

export const POLICY = 'quota:exercise';
const CIRCUIT = { circuit_failure_threshold: 5, circuit_open_ms: 30_000 };

/** What the host of an exercise makes of an asking. */
export type HostMood = 'answer' | 'hold' | 'full' | 'lose the answer';

/** The real dispatcher, scheduler and registry over PostgreSQL; only the exchange with the host is played. */
export interface Exercise {
  readonly fleet: Fleet;
  readonly dispatcher: Dispatcher;
  /** Ids of the actions that reached a host, in order, an asking each. */
  readonly reached: string[];
  /** Addresses asked, beside `reached`. */
  readonly asked: string[];
  mood: HostMood;
  /** Answers all that are held, and everything to come. */
  letGo(): void;
  /** Dispatches all at once and tells, for each, `completed` or the code of its refusal. */
  run(works: readonly RemoteWork[]): Promise<string[]>;
  close(): Promise<void>;
}

/** Starts an exercise; `limits` are those of the policy that the bindings name, absent: the default policy. */
export async function startExercise(
  options: { limits?: Partial<PolicyLimits>; asking?: Partial<AskRule>; scheduler?: Partial<SchedulerLimits> } = {},
): Promise<Exercise> {
  const { limits, asking, scheduler } = options;
  const fleet = await startFleet(limits ? { quotaPolicyRef: POLICY } : {});
  if (limits)
    await fleet.registry.policies.put({ ref: POLICY, revision: 2, enabled: true, limits: { ...CIRCUIT, ...limits } });
  let release = Promise.withResolvers<void>();
  const reached: string[] = [];
  const asked: string[] = [];

  const send = async (envelope: Envelope, peer: { url: string }, _sending?: SendOptions): Promise<Envelope> => {
    const { action } = envelope.body as { action: Action };
    reached.push(action.id);
    asked.push(peer.url);
    if (exercise.mood === 'hold') await release.promise;
    if (exercise.mood === 'full')
      throw new RemoteError(
        { code: 'connector_host.capacity', message: 'full', category: 'temporary', retryable: true },
        429,
      );
    if (exercise.mood === 'lose the answer')
      throw new PeerTransportFailed('the connection broke', { reached: true, attempts: 1, status: undefined });
    return { body: { action_result: { action_id: action.id, status: 'completed' } } } as unknown as Envelope;
  };
  const key = signingKeyFromSeed(newSeedHex());
  const dispatcher = openDispatcher({
    registry: fleet.registry,
    peer: { send },
    signer: () => ({ principal: { id: 'service:gateway', kind: 'service', trust_domain: TRUST_DOMAIN }, key }),
    asking,
    scheduler,
    clock: fleet.clock,
    log: pino({ level: 'silent' }),
  });
  const exercise: Exercise = {
    fleet,
    dispatcher,
    reached,
    asked,
    mood: 'answer',
    letGo: () => {
      exercise.mood = 'answer';
      release.resolve();
      release = Promise.withResolvers();
    },
    run: (works) =>
      Promise.all(
        works.map((work) =>
          resultOf(dispatcher, work).then(
            ({ status }) => status,
            (error: { code?: string }) => error.code ?? String(error),
          ),
        ),
      ),
    close: async () => {
      exercise.letGo();
      await dispatcher.stop();
      await fleet.close();
    },
  };
  return exercise;
}

/** Some work of a tenant, each an action of its own. */
export function works(count: number, tenantId = TENANT): RemoteWork[] {
  return Array.from({ length: count }, () => ({
    action: { id: newId('action'), capability_id: 'cap:probe:echo', input: {}, mode: 'sync' },
    tenantId,
    originalMode: 'sync',
  }));
}

/** How often each value occurs. */
export function tally(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** Counters and slots that are still taken; empty after everything settled. */
export async function stillTaken({ fleet }: Exercise): Promise<unknown[]> {
  const { rows } = await fleet.pool.query(
    `SELECT scope, active FROM registry.policy_counters WHERE active <> 0
     UNION ALL SELECT 'replica ' || id, active FROM registry.replicas WHERE active <> 0`,
  );
  return rows;
}
