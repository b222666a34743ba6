import { readFile } from 'node:fs/promises';
import { listCapabilities } from '@aip/runtime/internal/client';
import { openGateway } from '@aip/runtime/internal/gateway';
import type { Capability } from '@aip/runtime/internal/protocol';
import { exampleCall } from '../client/example.js';
import { quoted } from '../client/quoted.js';
import { asTyped } from '../ui/self.js';

/** A streaming capability with few required members shows most. */
const RANK = (capability: Capability): number => {
  const required = (capability.input_schema.required as unknown[] | undefined)?.length ?? 0;
  const streams = capability.contract?.execution.supports_streaming ? 0 : 10;
  const approved = capability.requires_human_approval || capability.risk === 'high' ? 20 : 0;
  return required + streams + approved;
};

/** The next commands to try here, with a call of the user's own capability; `data` is added when the folder is not the usual one. */
export async function commandsToTry(fleet: {
  url: string;
  tokenFile: string;
  data: string | undefined;
  /** An instance that has not reached what its spec requests. */
  broken?: string | undefined;
}): Promise<string[]> {
  const suffix = fleet.data === undefined ? '' : ` --data ${quoted(fleet.data)}`;
  const capability = await firstCapability(fleet).catch(() => undefined);
  const commands = [
    fleet.broken === undefined ? 'aip fleet status' : `aip fleet describe ${fleet.broken}`,
    'aip capabilities',
  ];
  if (capability) commands.push(exampleCall(capability));
  commands.push('aip actions list');
  return commands.map((command) => asTyped(`${command}${suffix}`));
}

async function firstCapability({
  url,
  tokenFile,
}: {
  url: string;
  tokenFile: string;
}): Promise<Capability | undefined> {
  const token = (await readFile(tokenFile, 'utf8')).trim();
  const { capabilities } = await listCapabilities(openGateway({ url, token }), { limit: 200 });
  return capabilities.map(({ capability }) => capability).sort((a, b) => RANK(a) - RANK(b))[0];
}
