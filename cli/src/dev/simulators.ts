import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ConnectorInstance, type Resources, secretValue } from '@aip/controller/internal/api';
import type { DevInfo } from '@aip/controller/internal/data-folder';
import { within } from '@aip/runtime/internal/time';
import { UsageError } from '../client/errors.js';

const FOLDER = new URL('../../../test/simulators/', import.meta.url);
const START_MS = 10_000;

/** Simulated providers of the instances of an `aip dev`. */
export interface Simulators {
  /** One line for each, to be shown. */
  readonly lines: readonly string[];
  /** Points the deliveries of each simulator to the webhook route of its instance. */
  pointWebhooks(info: DevInfo): Promise<void>;
  stop(): void;
}

/**
 * Starts a simulated provider for each instance whose connector has one and whose `base_url` is a port of loopback; it accepts the instance's
 * own secrets. Throws UsageError when there is none to start.
 */
export async function startSimulators(resources: Resources | undefined): Promise<Simulators> {
  const wanted = (resources?.instances ?? []).flatMap((instance) => {
    const { type } = instance.spec.connector;
    const file = fileURLToPath(new URL(`${type}.ts`, FOLDER));
    const { base_url: url } = instance.spec.config as { base_url?: string };
    const port = url !== undefined && URL.canParse(url) ? new URL(url).port : '';
    return existsSync(file) && port !== '' ? [{ instance, file, port, url: url as string }] : [];
  });
  if (wanted.length === 0)
    throw new UsageError(
      'No instance has a simulated provider.',
      'Name files such as examples/chatwoot.yaml, whose base_url is a port of this machine.',
    );
  const children: ChildProcess[] = [];
  const stop = (): void => {
    for (const child of children) child.kill('SIGTERM');
  };
  try {
    for (const { instance, file, port } of wanted) {
      const child = spawn(
        process.execPath,
        [file, '--port', port, ...secretArguments(instance, resources as Resources)],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
          env: { PATH: process.env.PATH },
        },
      );
      children.push(child);
      await listening(child, `${instance.spec.connector.type} on port ${port}`);
    }
  } catch (error) {
    stop();
    throw error;
  }
  return {
    lines: wanted.map(
      ({ instance, url }) => `simulated ${instance.spec.connector.type} for ${instance.metadata.name} at ${url}`,
    ),
    pointWebhooks: async (info) => {
      for (const { instance, url } of wanted) {
        const { name, namespace } = instance.metadata;
        const own = info.instances.find((each) => each.name === name && each.namespace === namespace);
        if (own?.webhook_url === undefined) continue;
        await fetch(new URL('/__simulator/webhook', url), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ url: own.webhook_url }),
        });
      }
    },
    stop,
  };
}

function secretArguments(instance: ConnectorInstance, resources: Resources): string[] {
  const [token, webhook] = ['api-token', 'webhook-secret'].map((file) => secretOf(instance, resources, file));
  return [
    ...(token === undefined ? [] : ['--token', token]),
    ...(webhook === undefined ? [] : ['--webhook-secret', webhook]),
  ];
}

function secretOf(instance: ConnectorInstance, { secrets }: Resources, file: string): string | undefined {
  const { namespace } = instance.metadata;
  const reference = instance.spec.secrets.find((each) => each.file === file)?.secretKeyRef;
  const secret = secrets.find(({ metadata }) => metadata.name === reference?.name && metadata.namespace === namespace);
  return secret && reference ? secretValue(secret, reference.key)?.toString('utf8') : undefined;
}

/** Waits for the line that a simulator prints once it listens. */
function listening(child: ChildProcess, what: string): Promise<void> {
  const begun = new Promise<void>((done, fail) => {
    child.stdout?.once('data', () => done());
    child.once('exit', () => fail(new UsageError(`The simulated ${what} ended.`, 'Is the port taken?')));
  });
  return within(START_MS, begun, () => {
    throw new Error(`the simulated ${what} did not start`);
  });
}
