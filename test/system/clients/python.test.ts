import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPython } from '../../../scripts/install/python-venv.ts';
import { type ClientFleet, ROOT, runProgram, startClientFleet } from './fleet.ts';

const PYTHON = findPython();
const cwd = join(ROOT, 'clients', 'python');

describe.skipIf(PYTHON === undefined)('the Python client', () => {
  const python = PYTHON as string;
  let fleet: ClientFleet | undefined;
  beforeAll(async () => {
    fleet = await startClientFleet();
  });
  afterAll(() => fleet?.stop());

  test('passes its tests against a real gateway', { timeout: 300_000 }, async () => {
    const env = fleet?.env ?? {};
    const { code, output } = await runProgram(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], { cwd, env });
    expect(code, output).toBe(0);
    expect(output).toMatch(/^\d+ passed in/m);
  });

  test('runs every example of its readme as printed', { timeout: 300_000 }, async () => {
    const readme = await readFile(join(cwd, 'README.md'), 'utf8');
    const examples = [...readme.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, text]) => text as string);
    const printed: string[] = [];
    for (const example of examples) {
      const { code, output } = await runProgram(python, ['-c', example], { cwd, env: fleet?.env ?? {} });
      expect(code, `${example}\n${output}`).toBe(0);
      printed.push(output.trim().split('\n').at(-1) as string);
    }
    expect(printed).toEqual(['hello', 'completed', 'True', 'completed', 'action.result_not_ready temporary True']);
  });

  test('has types that a strict check accepts, and a sync form that is current', { timeout: 300_000 }, async () => {
    const env = process.env;
    const types = await runProgram(python, ['-m', 'mypy', '--cache-dir', '/dev/null'], { cwd, env });
    expect(types.code, types.output).toBe(0);
    const sync = await runProgram(python, ['make_sync.py', '--check'], { cwd, env });
    expect(sync.code, sync.output).toBe(0);
  });
});
