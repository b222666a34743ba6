import { styleText } from 'node:util';
import { paint } from '../ui/paint.js';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
type Level = (typeof LEVELS)[number];
/** Members of a log record that are shown elsewhere, or say nothing on one machine. */
const HIDDEN = new Set(['level', 'time', 'msg', 'message', 'pid', 'hostname', 'component', 'name', 'v']);
const COLORS = ['cyan', 'magenta', 'blue', 'green', 'yellow'] as const;

/** One line of a program's log for people; undefined when it is below the level. `json` gives the record with its program. */
export function logLine(
  program: string,
  line: string,
  { level, json }: { level: Level; json: boolean },
): string | undefined {
  const record = parsed(line);
  const own = levelOf(record?.level);
  if (own !== undefined && LEVELS.indexOf(own) < LEVELS.indexOf(level)) return undefined;
  if (json) return JSON.stringify({ program, ...(record ?? { msg: line }) });
  const name = colored(program.replace(/^host-(default\.)?/, ''));
  if (!record) return `${name} ${line}`;
  const rest = Object.entries(record)
    .filter(([key]) => !HIDDEN.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  const message = String(record.msg ?? record.message ?? '');
  return `${paint.dim(timeOf(record.time))} ${name} ${marked(own)}${message}${rest === '' ? '' : ` ${paint.dim(rest)}`}`;
}

function parsed(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function levelOf(level: unknown): Level | undefined {
  if (typeof level === 'number') return LEVELS[Math.max(0, Math.min(LEVELS.length - 1, Math.floor(level / 10) - 1))];
  return LEVELS.find((known) => known === String(level).toLowerCase());
}

function marked(level: Level | undefined): string {
  if (level === 'error' || level === 'fatal') return `${paint.bad(level)} `;
  return level === 'warn' ? `${paint.warn(level)} ` : '';
}

function timeOf(time: unknown): string {
  const at = typeof time === 'number' ? time : Date.parse(String(time));
  return Number.isNaN(at) ? '' : new Date(at).toTimeString().slice(0, 8);
}

/** The same program always has the same colour. */
function colored(program: string): string {
  const sum = [...program].reduce((total, character) => (total * 31 + character.charCodeAt(0)) % 997, 0);
  return styleText(COLORS[sum % COLORS.length] as (typeof COLORS)[number], program, {
    stream: process.stdout,
    validateStream: true,
  });
}
