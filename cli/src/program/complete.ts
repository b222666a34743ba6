import { type CliManifest, type CommandEntry, type FlagEntry, namedBy } from './manifest.js';

/** How long live values may take, in ms: completion must never make a shell wait. */
const LIVE_MS = 1500;
/** Most live values offered. */
const MOST = 50;
/** Has the shell complete file names. */
const FILES = '@files';

/** Prints what may come in the place of the last word, one a line. Never fails: a shell would show it in the middle of a command line. */
export async function complete(words: readonly string[], manifest: CliManifest): Promise<void> {
  const found = await candidates(words, manifest).catch(() => []);
  if (found.length > 0) process.stdout.write(`${found.join('\n')}\n`);
}

async function candidates(words: readonly string[], manifest: CliManifest): Promise<string[]> {
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const named = namedBy(before, manifest);
  const ids = Object.values(manifest.commands).filter(({ hidden }) => !hidden);
  const next = nextWords(before, ids);
  if (named.kind !== 'command') return startingWith(last, next);
  const { command } = named;
  const asked = flagOf(before.at(-1), command);
  if (asked?.type === 'option') return startingWith(last, await flagValues(asked, before), asked);
  if (last.startsWith('-')) return startingWith(last, flagNames(command));
  const given = positional(before.slice(named.words), command);
  const arg = Object.values(command.args)[given];
  if (!arg) return startingWith(last, next);
  const values = arg.options ?? (await liveValues(arg.name, command, before));
  return startingWith(last, [...next, ...values]);
}

function nextWords(before: readonly string[], commands: readonly CommandEntry[]): string[] {
  const words = before.filter((word) => !word.startsWith('-'));
  if (words.length !== before.length) return [];
  const path = words.map((word) => `${word}:`).join('');
  return [
    ...new Set(
      commands.filter(({ id }) => id.startsWith(path)).map(({ id }) => id.slice(path.length).split(':')[0] ?? ''),
    ),
  ].sort();
}

function startingWith(last: string, values: readonly string[], flag?: FlagEntry): string[] {
  if (values.length === 1 && values[0] === FILES) return [FILES];
  if (values.length === 0 && flag?.helpValue && /FILE|DIR/.test(flag.helpValue)) return [FILES];
  return values.filter((value) => value.startsWith(last));
}

function flagNames(command: CommandEntry): string[] {
  return Object.values(command.flags)
    .filter(({ hidden }) => !hidden)
    .flatMap(({ name, allowNo }) => (allowNo ? [`--${name}`, `--no-${name}`] : [`--${name}`]))
    .sort();
}

function flagOf(word: string | undefined, command: CommandEntry): FlagEntry | undefined {
  if (!word?.startsWith('-')) return undefined;
  return Object.values(command.flags).find(({ name, char }) => word === `--${name}` || word === `-${char}`);
}

/** How many positional arguments are there already; the value of a flag is none. */
function positional(words: readonly string[], command: CommandEntry): number {
  return words.filter(
    (word, at) => !word.startsWith('-') && flagOf(at === 0 ? undefined : words[at - 1], command)?.type !== 'option',
  ).length;
}

async function flagValues(flag: FlagEntry, before: readonly string[]): Promise<string[]> {
  if (flag.options) return flag.options;
  if (flag.name === 'capability') return live('capability', before);
  if (flag.name === 'context') return contexts();
  if (flag.name === 'session') return live('session', before);
  if (flag.name === 'scopes') {
    const { KNOWN_SCOPES } = await import('../tokens/scopes.js');
    return [...KNOWN_SCOPES];
  }
  return [];
}

/** What a positional argument names, by `topic argument` or by the argument alone. */
const NAMED: Readonly<Record<string, LiveKind>> = {
  'actions id': 'action',
  'approvals id': 'approval',
  'receipts id': 'action',
  'sessions id': 'session',
  'transactions id': 'transaction',
  'deliveries id': 'delivery',
  'resources id': 'resource',
  'fleet name': 'instance',
  'fleet replica': 'replica',
  'dev name': 'log',
  capability: 'capability',
};

async function liveValues(arg: string, command: CommandEntry, before: readonly string[]): Promise<string[]> {
  const [topic] = command.id.split(':');
  if (topic === 'context' && arg === 'name') return contexts();
  const kind = NAMED[`${topic} ${arg}`] ?? NAMED[arg];
  if (kind !== undefined) return live(kind, before);
  return arg === 'file' ? [FILES] : [];
}

async function contexts(): Promise<string[]> {
  const { readContexts } = await import('../contexts/contexts-file.js');
  return ['dev', ...(await readContexts(process.env)).contexts.map(({ name }) => name)];
}

/** Programs of every `aip dev` that log, beside its instances. */
const PROGRAMS = ['gateway', 'control-plane', 'postgres'];

interface Listed {
  path: string;
  most: number;
  /** The list in the answer, and the id in one of its records. */
  list: string;
  id(record: Listable): unknown;
}

type Listable = Record<string, unknown> & { capability?: { id?: unknown }; request?: { id?: unknown } };

/** Where the gateway lists what it stores. */
const LISTED = {
  action: { path: '/aip/v1/actions?order=newest', most: MOST, list: 'actions', id: (row) => row.action_id },
  // Transactions have no list; their actions do.
  transaction: { path: '/aip/v1/actions?order=newest', most: MOST, list: 'actions', id: (row) => row.transaction_id },
  approval: { path: '/aip/v1/approvals?status=pending', most: MOST, list: 'approvals', id: (row) => row.request?.id },
  session: { path: '/aip/v1/sessions', most: MOST, list: 'sessions', id: (row) => row.session_id },
  delivery: { path: '/aip/v1/callback-deliveries', most: MOST, list: 'deliveries', id: (row) => row.delivery_id },
  resource: { path: '/aip/v1/resources', most: MOST, list: 'resources', id: (row) => row.id },
  capability: { path: '/aip/v1/capabilities', most: 200, list: 'capabilities', id: (row) => row.capability?.id },
} satisfies Record<string, Listed>;

type LiveKind = keyof typeof LISTED | 'instance' | 'replica' | 'log';

/** Values from the fleet that the flags already typed name. */
async function live(kind: LiveKind, before: readonly string[]): Promise<string[]> {
  const given = (name: string): string | undefined => {
    const at = before.indexOf(`--${name}`);
    return at < 0 ? before.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) : before[at + 1];
  };
  const flags = Object.fromEntries(
    ['context', 'gateway', 'token-file', 'ca-file', 'data'].map((name) => [name, given(name)]),
  );
  const { connect } = await import('../contexts/connection.js');
  const connection = await connect(flags, process.env);
  try {
    const instances = connection.dev?.instances ?? [];
    if (kind === 'instance') return instances.map(({ name }) => name);
    if (kind === 'log') return [...PROGRAMS, ...instances.map(({ name }) => name)];
    if (kind === 'replica')
      return instances.flatMap(({ replicas }) => replicas.map(({ replica_id: id }) => id.split('.')[1] ?? id));
    const listed: Listed = LISTED[kind];
    const path = `${listed.path}${listed.path.includes('?') ? '&' : '?'}limit=${listed.most}`;
    const { timed } = await import('@aip/runtime/internal/time');
    const { gateway } = connection;
    const body = (await timed(LIVE_MS, (signal) => gateway.request({ path, signal }))) as Record<string, Listable[]>;
    const ids = (body[listed.list] ?? []).map((row) => listed.id(row));
    return [...new Set(ids.filter((id) => typeof id === 'string'))];
  } finally {
    await connection.close();
  }
}
