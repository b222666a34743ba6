import { stripVTControlCharacters, styleText } from 'node:util';
import { paint } from '../ui/paint.js';
import { fitEnd, lengthOf } from '../ui/tables/width.js';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
/** The levels of log records, the least important first. */
export type Level = (typeof LEVELS)[number];
/** Members of a log record that are shown elsewhere, or say nothing on one machine. */
const HIDDEN = new Set([
  ...['level', 'time', 'msg', 'message', 'pid', 'hostname', 'component', 'name', 'v'],
  ...['replica_id', 'tenant_id'],
]);
const COLORS = ['cyan', 'magenta', 'blue', 'green', 'yellow'] as const;

/** One line of a program's log for people, its fields cut to `width` columns; undefined when it is below the level. `json` gives the record with its program. */
export function logLine(
  program: string,
  line: string,
  { level, json, width = Number.POSITIVE_INFINITY }: { level: Level; json: boolean; width?: number | undefined },
): string | undefined {
  const record = parsed(line);
  const own = levelOf(record?.level);
  if (!reaches(own, level)) return undefined;
  if (json) return JSON.stringify({ program, ...(record ?? { msg: line }) });
  const short = program.replace(/^host-(default\.)?/, '');
  const name = colored(short);
  if (!record) return `${name} ${fitEnd(plain(line), width - lengthOf(short) - 1)}`;
  const rest = Object.entries(record)
    .filter(([key]) => !HIDDEN.has(key))
    .map(([key, value]) => `${key}=${fieldText(value)}`)
    .join(' ');
  const time = timeOf(record.time);
  const mark = marked(own);
  const room = width - lengthOf(`${time} ${short} ${stripVTControlCharacters(mark)}`);
  const message = fitEnd(plain(String(record.msg ?? record.message ?? '')), room);
  const fields = fitEnd(plain(rest), room - lengthOf(message) - 1);
  return `${paint.dim(time)} ${name} ${mark}${message}${fields === '' ? '' : ` ${paint.dim(fields)}`}`;
}

/** The level of a line of a log; undefined when it has none. */
export function levelOfLine(line: string): Level | undefined {
  return levelOf(parsed(line)?.level);
}

/** Is a level at least this one? A line without a level always is. */
export function reaches(own: Level | undefined, least: Level): boolean {
  return own === undefined || LEVELS.indexOf(own) >= LEVELS.indexOf(least);
}

function parsed(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** A state of health is its sentence; other values are shown as they are. */
function fieldText(value: unknown): string {
  const detail = (value as { detail?: unknown } | null)?.detail;
  if (typeof value === 'string' || typeof detail === 'string') return String(detail ?? value);
  return JSON.stringify(value);
}

/** What a program wrote moves no cursor and changes no colour. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f]+/g, ' ');
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
