import { type Level, levelOfLine, reaches } from './log-line.js';

/** Which log lines `aip dev` shows on its own screen. */
export interface LogFilter {
  /** Programs, instances or replicas; none: all hosts. */
  names: readonly string[];
  /** Least level shown; `none` shows no logs. */
  level: Level | 'none';
  /** Every program, not only hosts. */
  all: boolean;
}

/** Is a line of a program shown? A line without a level is shown whenever its program is. */
export function isShown(program: string, line: string, { names, level, all }: LogFilter): boolean {
  if (level === 'none' || line.trim() === '') return false;
  const named = names.length > 0 ? names.some((name) => isNamed(program, name)) : all || program.startsWith('host-');
  return named && reaches(levelOfLine(line), level);
}

/** Does a name mean this program: its own name, its instance's, or that of its replica? */
export function isNamed(program: string, name: string): boolean {
  const key = name.includes('/') ? name.replace('/', '.') : `default.${name}`;
  return (
    program === name ||
    program.startsWith(`${name}-`) ||
    program === `host-${key}` ||
    new RegExp(`^host-${escaped(key)}-[0-9a-f]{6}-\\d+$`).test(program)
  );
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
