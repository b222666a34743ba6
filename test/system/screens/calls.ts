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

/** How commands are called against the fleet that has started by then. */
interface Target {
  started(): ScreenFleet;
  /** Against the fleet with records, against the one in which nothing changes, and where no fleet is. */
  on(...args: string[]): string[];
  quiet(...args: string[]): string[];
  without(...args: string[]): string[];
  file(name: string): string;
  /** What `prepare` made, one for each run of a command. */
  readonly made: { approvals: string[]; sessions: string[]; tokens: string[] };
}

const at = (made: readonly string[], run: number): string => made[run] as string;

/** Commands that read records of the gateway. */
function readingRecords(target: Target): Record<string, Calls> {
  const { started, on, without, file } = target;
  return {
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
    'deliveries get': {
      works: () => on('deliveries', 'get', started().ids.delivery),
      fails: () => on('deliveries', 'get', 'delivery_zzz'),
    },
    'deliveries list': {
      works: () => on('deliveries', 'list'),
      fails: () => on('deliveries', 'list', '--status', 'lost'),
    },
    'events list': {
      works: () => on('events', 'list', '--limit', '8'),
      fails: () => on('events', 'list', '--cursor', 'nonsense'),
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
    'transactions get': {
      works: () => on('transactions', 'get', started().ids.transaction, '--receipts'),
      fails: () => on('transactions', 'get', 'txn_zzz'),
    },
  };
}

/** Commands that read a fleet or the machine of its user. */
function readingFleets(target: Target): Record<string, Calls> {
  const { started, on, quiet, without, file } = target;
  return {
    completion: { works: () => ['completion', 'fish'], fails: () => ['completion', 'tcsh'] },
    'context list': { works: () => ['context', 'list'], fails: () => ['context', 'list', 'everything'] },
    'context show': { works: () => ['context', 'show', 'shown'], fails: () => ['context', 'show', 'show'] },
    'dev logs': { works: () => quiet('dev', 'logs'), fails: () => quiet('dev', 'logs', 'gatway') },
    'dev psql': {
      works: () => ['dev', 'psql', '--data', started().dev.dataDir, '--', '-c', 'select 6 * 7 as answer', '-x'],
      fails: () => without('dev', 'psql'),
    },
    'dev status': { works: () => on('dev', 'status'), fails: () => without('dev', 'status') },
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
    'tokens list': { works: () => on('tokens', 'list'), fails: () => without('tokens', 'list') },
    version: { works: () => on('version'), fails: () => on('version', '--clint') },
  };
}

/** Commands that change records of the gateway. */
function changingRecords({ on, file, made }: Target): Record<string, Calls> {
  return {
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
      works: (run) => on('approvals', 'approve', at(made.approvals, run), '--yes'),
      fails: () => on('approvals', 'approve', 'appr_zzz', '--yes'),
    },
    'approvals deny': {
      works: (run) => on('approvals', 'deny', at(made.approvals, RUNS + run), '--yes'),
      fails: () => on('approvals', 'deny', 'appr_zzz', '--yes'),
    },
    'sessions close': {
      works: (run) => on('sessions', 'close', at(made.sessions, run)),
      fails: () => on('sessions', 'close', 'sess_zzz'),
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
}

/** Commands that change a fleet or the machine of its user. */
function changingFleets({ started, on, without, file, made }: Target): Record<string, Calls> {
  const contextAdd = (name: string): string[] => [
    ...['context', 'add', name, '--gateway', 'https://aip.example', '--token-file', file('agent.seed')],
  ];
  const replica = (): string => {
    const demo = started().dev.ready.instances.find(({ name }) => name === 'demo');
    const [, name = ''] = /^crepl_default\.([^.]+)\./.exec(demo?.replicas[1]?.replica_id ?? '') ?? [];
    return name;
  };
  return {
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
    'tokens create': {
      works: () => on('tokens', 'create', '--tenant', 'demo', '--scopes', 'action:read', '--principal', 'agent:made'),
      fails: () => on('tokens', 'create', '--tenant', 'demo', '--scopes', ' '),
    },
    'tokens revoke': {
      works: (run) => on('tokens', 'revoke', at(made.tokens, run), '--yes'),
      fails: () => on('tokens', 'revoke', 'agent:nobody', '--yes'),
    },
  };
}

/** Commands of which only the failure is called. */
function failingCalls({ without }: Target): Record<string, Call> {
  return {
    dev: () => without('dev', '-f', '/nowhere.yaml'),
    'dev stop': () => without('dev', 'stop'),
    'events follow': () => without('events', 'follow'),
    'fleet rollback': () => ['fleet', 'rollback', 'demo', '--context', 'kept'],
    'trust rotate': () => ['trust', 'rotate', 'gateway', '--context', 'kept'],
    'trust status': () => ['trust', 'status', '--context', 'kept'],
  };
}

/** The calls of several groups in the order of the commands' names, in which they run. */
const inOrder = (...groups: Record<string, Calls>[]): Record<string, Calls> =>
  Object.fromEntries(groups.flatMap((group) => Object.entries(group)).sort(([one], [other]) => (one < other ? -1 : 1)));

/** The calls of all commands against the fleet that `started` gives. */
export function commandCalls(started: () => ScreenFleet): CommandCalls {
  const file = (name: string): string => started().file(name);
  const target: Target = {
    started,
    on: (...args) => started().on(...args),
    quiet: (...args) => [...args, '--data', file('quiet')],
    without: (...args) => [...args, '--data', file('never')],
    file,
    made: { approvals: [], sessions: [], tokens: [] },
  };
  return {
    reading: inOrder(readingRecords(target), readingFleets(target)),
    changing: inOrder(changingRecords(target), changingFleets(target)),
    failing: failingCalls(target),
    prepare: async () => {
      const fleet = started();
      const { made } = target;
      made.approvals = [
        ...(await fleet.each((run) => fleet.refund(`approve-${run}`))),
        ...(await fleet.each((run) => fleet.refund(`deny-${run}`))),
      ];
      made.sessions = await fleet.each(fleet.openSession);
      made.tokens = await fleet.each((run) => fleet.token(`agent:reader-run${run}`));
      for (let run = 0; run < RUNS; run += 1) await mkdir(file(`left-run${run}`), { mode: 0o700 });
    },
  };
}
