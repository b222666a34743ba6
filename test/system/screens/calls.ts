import { mkdir } from 'node:fs/promises';
import type { ScreenFleet } from './fleet.ts';
import { type Call, RUNS } from './screen.ts';

/** A call of a command that works, and one that does not. */
export interface Calls {
  works: Call;
  fails: Call;
}

/** Every command with its calls against a fleet. */
export interface CommandCalls {
  /** Commands that read. */
  reading: Record<string, Calls>;
  /** Commands that do something; after `prepare`. */
  changing: Record<string, Calls>;
  /** Commands whose success needs a cluster, or does not end by itself. */
  failing: Record<string, Call>;
  prepare(): Promise<void>;
}

/** The calls of all commands against the fleet that `started` gives. */
export function commandCalls(started: () => ScreenFleet): CommandCalls {
  const on = (...args: string[]): string[] => started().on(...args);
  const quiet = (...args: string[]): string[] => [...args, '--data', started().file('quiet')];
  const without = (...args: string[]): string[] => [...args, '--data', started().file('never')];
  const file = (name: string): string => started().file(name);
  let approvals: string[] = [];
  let sessions: string[] = [];
  let tokens: string[] = [];
  const at = (made: readonly string[], run: number): string => made[run] as string;
  const contextAdd = (name: string): string[] => [
    ...['context', 'add', name, '--gateway', 'https://aip.example', '--token-file', file('agent.seed')],
  ];
  const replica = (): string => {
    const demo = started().dev.ready.instances.find(({ name }) => name === 'demo');
    const [, name = ''] = /^crepl_default\.([^.]+)\./.exec(demo?.replicas[1]?.replica_id ?? '') ?? [];
    return name;
  };
  const reading: Record<string, Calls> = {
    'actions chunks': {
      works: () => on('actions', 'chunks', 'act_counted'),
      fails: () => on('actions', 'chunks', 'act_zzz'),
    },
    'actions events': {
      works: () => on('actions', 'events', 'act_counted'),
      fails: () => on('actions', 'events', 'act_zzz'),
    },
    'actions explain': {
      works: () => on('actions', 'explain', 'act_refund'),
      fails: () => on('actions', 'explain', 'act_zzz'),
    },
    'actions get': {
      works: () => on('actions', 'get', 'act_said', '--receipts'),
      fails: () => on('actions', 'get', 'appr_1'),
    },
    'actions list': {
      works: () => on('actions', 'list'),
      fails: () => on('actions', 'list', '--cursor', 'nonsense'),
    },
    'actions result': {
      works: () => on('actions', 'result', 'act_said'),
      fails: () => on('actions', 'result', 'act_zzz'),
    },
    api: { works: () => on('api', 'GET', '/aip/v1/actions/act_said'), fails: () => on('api', 'PUT', '/') },
    'approvals get': {
      works: () => on('approvals', 'get', started().ids.approval),
      fails: () => on('approvals', 'get', 'appr_zzz'),
    },
    'approvals list': {
      works: () => on('approvals', 'list'),
      fails: () => on('approvals', 'list', '--status', 'pendin'),
    },
    audit: { works: () => on('audit', '--action', 'act_refused'), fails: () => on('audit', '--from', 'yesterday') },
    capabilities: { works: () => on('capabilities'), fails: () => on('capabilities', '--limit', '0') },
    'capabilities get': {
      works: () => on('capabilities', 'get', 'cap:demo:refund'),
      fails: () => on('capabilities', 'get', 'cap:demo:ecko'),
    },
    'capabilities list': {
      works: () => on('capabilities', 'list', '--text', 'report'),
      fails: () => on('capabilities', 'list', '--text'),
    },
    completion: { works: () => ['completion', 'fish'], fails: () => ['completion', 'tcsh'] },
    'context list': { works: () => ['context', 'list'], fails: () => ['context', 'list', 'everything'] },
    'context show': { works: () => ['context', 'show', 'shown'], fails: () => ['context', 'show', 'show'] },
    'deliveries get': {
      works: () => on('deliveries', 'get', started().ids.delivery),
      fails: () => on('deliveries', 'get', 'delivery_zzz'),
    },
    'deliveries list': {
      works: () => on('deliveries', 'list'),
      fails: () => on('deliveries', 'list', '--status', 'lost'),
    },
    'dev logs': { works: () => quiet('dev', 'logs'), fails: () => quiet('dev', 'logs', 'gatway') },
    'dev psql': {
      works: () => ['dev', 'psql', '--data', started().dev.dataDir, '--', '-c', 'select 6 * 7 as answer', '-x'],
      fails: () => without('dev', 'psql'),
    },
    'dev status': { works: () => on('dev', 'status'), fails: () => without('dev', 'status') },
    'events list': {
      works: () => on('events', 'list', '--limit', '8'),
      fails: () => on('events', 'list', '--cursor', 'nonsense'),
    },
    'fleet describe': {
      works: () => quiet('fleet', 'describe', 'library'),
      fails: () => on('fleet', 'describe', 'libary'),
    },
    'fleet events': { works: () => quiet('fleet', 'events', 'library'), fails: () => without('fleet', 'events') },
    'fleet instances': { works: () => on('fleet', 'instances'), fails: () => without('fleet', 'instances') },
    'fleet logs': {
      works: () => quiet('fleet', 'logs', 'library'),
      fails: () => quiet('fleet', 'logs', 'libary'),
    },
    'fleet replicas': { works: () => on('fleet', 'replicas'), fails: () => without('fleet', 'replicas') },
    'fleet status': { works: () => on('fleet', 'status'), fails: () => without('fleet', 'status') },
    help: { works: () => ['help'], fails: () => ['help', 'nothing'] },
    'keys did': {
      works: () => ['keys', 'did', file('agent.seed')],
      fails: () => ['keys', 'did', file('nothing')],
    },
    manifest: { works: () => on('manifest'), fails: () => without('manifest') },
    'receipts get': {
      works: () => on('receipts', 'get', 'act_refund'),
      fails: () => on('receipts', 'get', 'rcpt_zzz'),
    },
    'receipts verify': {
      works: () => ['receipts', 'verify', file('receipts.json')],
      fails: () => ['receipts', 'verify', file('nothing')],
    },
    'resources list': {
      works: () => on('resources', 'list'),
      fails: () => on('resources', 'list', '--cursor', 'nonsense'),
    },
    'resources read': {
      works: () => on('resources', 'read', 'res:library:handbook'),
      fails: () => on('resources', 'read', 'res:library:none'),
    },
    'sessions get': {
      works: () => on('sessions', 'get', started().ids.session),
      fails: () => on('sessions', 'get', 'act_said'),
    },
    'sessions list': { works: () => on('sessions', 'list'), fails: () => on('sessions', 'list', '--status', 'asleep') },
    'tokens list': { works: () => on('tokens', 'list'), fails: () => without('tokens', 'list') },
    'transactions get': {
      works: () => on('transactions', 'get', started().ids.transaction, '--receipts'),
      fails: () => on('transactions', 'get', 'txn_zzz'),
    },
    version: { works: () => on('version'), fails: () => on('version', '--clint') },
  };

  const changing: Record<string, Calls> = {
    'actions cancel': {
      works: () => on('actions', 'cancel', 'act_said'),
      fails: () => on('actions', 'cancel', 'act_zzz'),
    },
    'actions follow': {
      works: () => on('actions', 'follow', 'act_counted'),
      fails: () => on('actions', 'follow', 'act_zzz'),
    },
    'actions submit': {
      works: () => on('actions', 'submit', 'cap:demo:echo', '--input', '{"text":"hello"}'),
      fails: () => on('actions', 'submit', 'cap:demo:count', '--input', '{"m":1}'),
    },
    'approvals approve': {
      works: (run) => on('approvals', 'approve', at(approvals, run), '--yes'),
      fails: () => on('approvals', 'approve', 'appr_zzz', '--yes'),
    },
    'approvals deny': {
      works: (run) => on('approvals', 'deny', at(approvals, RUNS + run), '--yes'),
      fails: () => on('approvals', 'deny', 'appr_zzz', '--yes'),
    },
    'connector init': {
      works: (run) => ['connector', 'init', file(`connector-run${run}`)],
      fails: () => ['connector', 'init', file('full')],
    },
    'context add': { works: (run) => contextAdd(`added-run${run}`), fails: () => contextAdd('kept') },
    'context remove': {
      works: (run) => ['context', 'remove', `added-run${run}`],
      fails: () => ['context', 'remove', 'keptt'],
    },
    'context set': {
      works: () => ['context', 'set', 'kept', '--tenant', 'demo'],
      fails: () => ['context', 'set', 'kept'],
    },
    'context use': { works: () => ['context', 'use', 'kept'], fails: () => ['context', 'use', 'nowhere'] },
    'dev apply': {
      works: () => on('dev', 'apply', '-f', file('demo.yaml')),
      fails: () => on('dev', 'apply', '-f', '/nowhere.yaml'),
    },
    'dev reset': {
      works: (run) => ['dev', 'reset', '--data', file(`left-run${run}`), '--yes'],
      fails: () => on('dev', 'reset', '--yes'),
    },
    doctor: { works: () => on('doctor'), fails: () => without('doctor') },
    'fleet drain': {
      works: () => on('fleet', 'drain', replica()),
      fails: () => on('fleet', 'drain', 'nothing'),
    },
    'fleet prune': {
      works: async (run) => {
        await started().removedDatabase(run);
        return on('fleet', 'prune', '--yes');
      },
      fails: () => without('fleet', 'prune'),
    },
    'fleet resume': {
      works: () => on('fleet', 'resume', replica()),
      fails: () => on('fleet', 'resume', 'nothing'),
    },
    'keys generate': {
      works: (run) => ['keys', 'generate', '--output-file', file(`run${run}.seed`)],
      fails: () => ['keys', 'generate', '--output-file', file('agent.seed')],
    },
    'sessions close': {
      works: (run) => on('sessions', 'close', at(sessions, run)),
      fails: () => on('sessions', 'close', 'sess_zzz'),
    },
    'tokens create': {
      works: () => on('tokens', 'create', '--tenant', 'demo', '--scopes', 'action:read', '--principal', 'agent:made'),
      fails: () => on('tokens', 'create', '--tenant', 'demo', '--scopes', ' '),
    },
    'tokens revoke': {
      works: (run) => on('tokens', 'revoke', at(tokens, run), '--yes'),
      fails: () => on('tokens', 'revoke', 'agent:nobody', '--yes'),
    },
    'webhooks send': {
      works: () =>
        on(
          ...['webhooks', 'send', file('delivery.json'), '--secret-file', file('secret')],
          ...['--instance', 'chatwoot'],
        ),
      fails: () => on('webhooks', 'send', file('nothing'), '--secret-file', file('secret'), '--instance', 'chatwoot'),
    },
  };

  const failing: Record<string, Call> = {
    dev: () => without('dev', '-f', '/nowhere.yaml'),
    'dev stop': () => without('dev', 'stop'),
    'events follow': () => without('events', 'follow'),
    'fleet rollback': () => ['fleet', 'rollback', 'demo', '--context', 'kept'],
    'trust rotate': () => ['trust', 'rotate', 'gateway', '--context', 'kept'],
    'trust status': () => ['trust', 'status', '--context', 'kept'],
  };
  return {
    reading,
    changing,
    failing,
    prepare: async () => {
      const fleet = started();
      approvals = [
        ...(await fleet.each((run) => fleet.refund(`approve-${run}`))),
        ...(await fleet.each((run) => fleet.refund(`deny-${run}`))),
      ];
      sessions = await fleet.each(fleet.openSession);
      tokens = await fleet.each((run) => fleet.token(`agent:reader-run${run}`));
      for (let run = 0; run < RUNS; run += 1) await mkdir(file(`left-run${run}`), { mode: 0o700 });
    },
  };
}
