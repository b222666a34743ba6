import { paint } from '../ui/paint.js';
import { fitEnd, lengthOf, wrap } from '../ui/tables/width.js';
import { type CliManifest, type CommandEntry, commandNames } from './manifest.js';

/** Commands in the order in which an operator meets them; what is not named here comes last. */
const GROUPS: readonly [string, readonly string[]][] = [
  ['RUN A FLEET', ['dev', 'connector']],
  ['CALL IT', ['capabilities', 'actions', 'events', 'approvals', 'sessions', 'transactions', 'resources']],
  ['PROVE IT', ['receipts', 'audit', 'deliveries']],
  ['OPERATE IT', ['fleet', 'trust', 'tokens', 'keys', 'doctor']],
];

const EXAMPLES: readonly [string, string][] = [
  ['aip dev --demo', 'Run a fleet here and watch one action.'],
  [`aip actions submit cap:demo:echo --input '{"text":"hi"}'`, 'Call a capability.'],
  ['aip actions list', 'Show the newest actions.'],
];

/** `aip help`: what it is, what to type first, and every group of commands. */
export function rootHelp(manifest: CliManifest, width = 100): string {
  const heads = [...new Set(commandNames(manifest).map((name) => name.split(' ')[0] ?? ''))];
  const grouped = new Set(GROUPS.flatMap(([, names]) => names));
  const groups = [...GROUPS, ['THIS PROGRAM', heads.filter((head) => !grouped.has(head))] as const];
  const room = Math.max(...heads.map(lengthOf)) + 2;
  const lines = [
    'Run and operate a fleet of signed connectors for AI agents.',
    '',
    `${title('USAGE')}  aip COMMAND [FLAGS]`,
  ];
  for (const [name, names] of groups) {
    const known = names.filter((head) => heads.includes(head));
    if (known.length === 0) continue;
    lines.push('', title(name));
    for (const head of known) lines.push(...beside(`  ${head.padEnd(room)}`, summaryOf(head, manifest), width));
  }
  lines.push('', title('EXAMPLES'));
  const longest = Math.max(...EXAMPLES.map(([command]) => command.length)) + 2;
  for (const [command, says] of EXAMPLES) {
    if (longest + 4 + says.length <= width) lines.push(`  ${command.padEnd(longest)}${paint.dim(says)}`);
    else lines.push(`  ${paint.dim(says)}`, `  ${command}`);
  }
  lines.push(
    '',
    ...wrap('`aip help COMMAND` explains a command; `aip doctor` checks the connection to a fleet.', width - 8),
  );
  return lines.join('\n');
}

/** `aip help TOPIC`: its commands. */
export function topicHelp(topic: string, manifest: CliManifest, width = 100): string {
  const commands = Object.values(manifest.commands)
    .filter(({ id, hidden }) => !hidden && (id === topic || id.startsWith(`${topic.replaceAll(' ', ':')}:`)))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const usage = commands.map((command) => ({ command, text: usageOf(command) }));
  const room = Math.max(...usage.map(({ text }) => lengthOf(text))) + 2;
  return [
    `${summaryOf(topic, manifest)}`,
    '',
    title('COMMANDS'),
    ...usage.flatMap(({ command, text }) =>
      room + 30 <= width
        ? beside(`  ${text.padEnd(room)}`, command.summary ?? '', width)
        : [fitEnd(`  ${text}`, width), ...beside('      ', command.summary ?? '', width)],
    ),
    '',
    `\`aip help ${topic} COMMAND\` explains one.`,
  ].join('\n');
}

/** A text in lines beside what stands before it. */
function beside(before: string, text: string, width: number): string[] {
  const room = width - lengthOf(before);
  return wrap(text, room).map((line, at) => `${at === 0 ? before : ' '.repeat(lengthOf(before))}${line}`);
}

/** `aip actions get ID`. */
export function usageOf(command: CommandEntry): string {
  const args = Object.values(command.args).map(({ name, required }) =>
    required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  );
  return ['aip', ...command.id.split(':'), ...args].join(' ');
}

function title(text: string): string {
  return paint.strong(text);
}

function summaryOf(head: string, manifest: CliManifest): string {
  return manifest.topics[head]?.description ?? manifest.commands[head]?.summary ?? '';
}
