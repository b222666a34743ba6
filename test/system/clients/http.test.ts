import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPython } from '../../../scripts/install/python-venv.ts';
import { type ClientFleet, ROOT, runProgram, startClientFleet } from './fleet.ts';

const PYTHON = findPython();
/** What every block of a chapter prints. */
const EXPECTED: Record<string, string[]> = {
  Submit: ['"echo":{"text":"hello"}'],
  Follow: ['{"value":1,"of":3}', '{"value":2,"of":3}', '{"value":3,"of":3}'],
  List: ['"capability_id":"cap:demo:echo"', '"total_size":'],
  Cancel: ['"status":"cancelled"'],
  Approve: ['"status":"approved"', '"capability_id":"cap:demo:refund"'],
  Sessions: ['"session_id":"sess_', '"status":"cancelled"'],
  Receipts: ['"chain_id":"action:act_', '"receipt_type":"result_returned"'],
  Transactions: ['"status":"committed"', '"amount_minor":500', '"transfer_id":"transfer:act_'],
  Callbacks: ['"deliveries":[{"delivery_id":"cb:', '"message_type":"aip.core.v1.action_result"', '"action_id":"act_'],
  Audit: ['"action":"aip.action.result"'],
  Resources: ['"resources":['],
  Sign: ['"echo":{"text":"signed"}'],
};

let fleet: ClientFleet | undefined;
let folder = '';
let document = '';
beforeAll(async () => {
  document = await readFile(join(ROOT, 'docs', 'http.md'), 'utf8');
  // Inside of the checkout, so that the packages are found.
  folder = await mkdtemp(join(ROOT, '.tutorial-'));
  fleet = await startClientFleet();
});
afterAll(async () => {
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The block of a language below a heading, as printed. */
function blockOf(heading: string, language: string): string {
  const chapter = document.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const [, block] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(chapter) ?? [];
  if (block === undefined) throw new Error(`docs/http.md has no ${language} below ${heading}`);
  return block;
}

async function prints(heading: string, command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await runProgram(command, args, { cwd: folder, env: fleet?.env ?? {} });
  expect(code, output).toBe(0);
  for (const text of EXPECTED[heading] ?? []) expect(output).toContain(text);
}

// Submit comes first: the list has its action.
describe.each(Object.keys(EXPECTED))('docs/http.md, %s', (heading) => {
  test('curl', async () => {
    expect.hasAssertions();
    await prints(heading, 'bash', ['-e', '-o', 'pipefail', '-c', blockOf(heading, 'sh')]);
  });

  test('TypeScript', async () => {
    expect.hasAssertions();
    const file = join(folder, `${heading}.ts`);
    await writeFile(file, blockOf(heading, 'ts'));
    await prints(heading, process.execPath, [file]);
  });

  test.skipIf(PYTHON === undefined)('Python', async () => {
    expect.hasAssertions();
    await prints(heading, PYTHON as string, ['-c', blockOf(heading, 'python')]);
  });
});
