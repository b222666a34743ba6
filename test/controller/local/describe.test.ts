import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ConnectorInstance } from '#controller/api/connector-instance.js';
import { describeConnector } from '#controller/local/describe.js';
import { CLI } from '../../support/dev.ts';

vi.setConfig({ testTimeout: 120_000 });

const SDK = pathToFileURL(join(CLI, '..', '..', '..', 'runtime', 'dist', 'connectors', 'sdk', 'index.js')).href;

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-describe-'));
  file = join(folder, 'shop.js');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The text of a module with one capability, whose id is an expression; `first` runs when it is loaded. */
const moduleOf = (id: string, first = ''): string => `import { capability, defineConnector, readOnly } from '${SDK}';
${first}
const only = capability({ id: ${id}, input: { type: 'object' }, contract: readOnly(), run: () => ({}) });
export default defineConnector({ type: 'shop', configSchema: { type: 'object' }, capabilities: [only] });
`;

const described = async (): Promise<string[]> => {
  const annotations = { 'fleet.aip.dev/module': file, 'fleet.aip.dev/module-digest': 'sha256:stamp' };
  const instance = {
    metadata: { name: 'shop', namespace: 'default', annotations },
    spec: { connector: { type: 'shop', version: '1.0.0' }, config: {}, secrets: [] },
  } as unknown as ConnectorInstance;
  const { manifest } = await describeConnector(instance, { cacheDir: folder, env: process.env });
  return (manifest.capabilities ?? []).map(({ id }) => id);
};

test('a module that was saved after its digest was taken is described as it is', async () => {
  await writeFile(file, moduleOf("'cap:shop:one'"));
  expect(await described()).toEqual(['cap:shop:one']);
  await writeFile(file, moduleOf("'cap:shop:two'"));
  expect(await described()).toEqual(['cap:shop:two']);
});

test('the description of a module that is saved meanwhile is not kept for the earlier contents', async () => {
  const [part, saved] = [join(folder, 'part.js'), join(folder, 'saved')];
  const ONE = "export const id = 'cap:shop:one';\n";
  await writeFile(part, ONE);
  await writeFile(
    join(folder, 'saves.js'),
    `import { existsSync, writeFileSync } from 'node:fs';
if (!existsSync('${saved}')) writeFileSync('${part}', "export const id = 'cap:shop:two';");
writeFileSync('${saved}', '');
`,
  );
  await writeFile(file, moduleOf('id', "import './saves.js';\nconst { id } = await import('./part.js');"));
  expect(await described()).toEqual(['cap:shop:two']);
  await writeFile(part, ONE);
  expect(await described()).toEqual(['cap:shop:one']);
});
