import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { fileProblem } from '@aip/runtime/internal/gateway';
import { UsageError } from './client/errors.js';

/** Input of an action: JSON text, `@file`, or `-` for standard input; absent is an empty object. Throws UsageError. */
export async function readInput(argument: string | undefined): Promise<unknown> {
  if (argument === undefined) return {};
  const source = argument === '-' ? 'standard input' : argument.startsWith('@') ? argument.slice(1) : '--input';
  const text = await textOf(argument, source);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `The input from ${source} is not JSON: ${(error as Error).message}.`,
      `Write it like --input '{"n":5}'.`,
    );
  }
  if (value === null) throw new UsageError('The input may not be null.', 'An empty object is {}.');
  return value;
}

async function textOf(argument: string, source: string): Promise<string> {
  if (argument === '-') return readAll(process.stdin);
  if (!argument.startsWith('@')) return argument;
  return readFile(source, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`The input file ${source} can't be read: ${fileProblem(error)}.`);
  });
}
