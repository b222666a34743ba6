import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from './release.ts';

interface Resource {
  kind: string;
  metadata: { name: string };
  spec: { config: object; webhook: object };
}

/** The resources of examples/chatwoot.yaml, its instance under another name and with a webhook route of the release. */
export async function webhookResources(instance: string): Promise<object[]> {
  const text = await readFile(join(ROOT, 'examples/chatwoot.yaml'), 'utf8');
  return parseAllDocuments(text).map((document) => {
    const resource = document.toJS() as Resource;
    if (resource.kind !== 'ConnectorInstance') return resource;
    resource.metadata.name = instance;
    resource.spec.config = { base_url: 'https://chat.example', account_id: 1, health: 'none' };
    resource.spec.webhook = {};
    return resource;
  });
}
