import { Command } from '@oclif/core/command';
import * as Flags from '@oclif/core/flags';
import type { Connection, ConnectionFlags } from './contexts/connection.js';
import { type Answer, formatOf, rendered } from './output.js';

const json = Flags.boolean({
  description: 'Print JSON: one document, or one line per item while following.',
  helpGroup: 'OUTPUT',
});

/** Flags of every command that answers with a document. */
export const outputFlags = {
  json,
  output: Flags.option({
    char: 'o',
    options: ['json', 'yaml', 'wide', 'name'] as const,
    description: 'Form of the answer: wide leaves no column out, name prints ids only.',
    helpGroup: 'OUTPUT',
    exclusive: ['json'],
  })(),
};

/** Flags of every command that prints items as they come: text or JSON lines. */
export const streamFlags = {
  json,
  output: Flags.option({
    char: 'o',
    options: ['json'] as const,
    description: 'Form of the output: json prints one document a line.',
    helpGroup: 'OUTPUT',
    exclusive: ['json'],
  })(),
};

/** The flag that names a fleet; every command that connects to one takes it. */
export const contextFlag = {
  context: Flags.string({
    description:
      'Context to use (`aip context list`); else AIP_CONTEXT, else the one in use. `dev` is the running `aip dev`.',
    helpValue: 'NAME',
    helpGroup: 'CONNECTION',
  }),
};

/** How a fleet and a part of it are named; every command that reads or changes a fleet takes them. */
export const fleetFlags = {
  ...contextFlag,
  'kube-context': Flags.string({
    description: 'Context of the kubeconfig whose cluster is meant; needs no context of `aip`.',
    helpValue: 'NAME',
    helpGroup: 'CONNECTION',
    exclusive: ['data'],
  }),
  data: Flags.string({
    description: 'Data folder of the `aip dev` that is meant.',
    helpValue: 'DIR',
    helpGroup: 'CONNECTION',
  }),
  namespace: Flags.string({
    char: 'n',
    description: 'Only this namespace.',
    helpValue: 'NAME',
    exclusive: ['all-namespaces'],
  }),
  'all-namespaces': Flags.boolean({ char: 'A', description: 'All namespaces (the default).' }),
};

/** How a gateway and the credential for it are named. */
export const gatewayFlags = {
  ...contextFlag,
  gateway: Flags.string({
    description: 'Gateway URL; else AIP_GATEWAY_URL, else that of the context.',
    helpValue: 'URL',
    helpGroup: 'CONNECTION',
  }),
  'token-file': Flags.string({
    description: 'File with the bearer token; else AIP_TOKEN or AIP_TOKEN_FILE, else that of the context.',
    helpValue: 'FILE',
    helpGroup: 'CONNECTION',
  }),
  'ca-file': Flags.string({
    description: 'Certificates (PEM) to trust besides the public ones; else AIP_CA_FILE, else those of the context.',
    helpValue: 'FILE',
    helpGroup: 'CONNECTION',
  }),
  data: Flags.string({
    description: 'Data folder of the `aip dev` to talk to.',
    helpValue: 'DIR',
    helpGroup: 'CONNECTION',
  }),
  tenant: Flags.string({
    description: 'Tenant whose records are meant, for a token of several tenants.',
    helpValue: 'ID',
    helpGroup: 'CONNECTION',
  }),
};

/** Flags of commands that talk to a gateway. */
export const connectionFlags = { ...outputFlags, ...gatewayFlags };

/** What all commands share: how they print and how they find the gateway. Errors are reported in one place (report-error). */
export abstract class AipCommand extends Command {
  #connection: Connection | undefined;

  /** A wait of more than a moment is shown on a terminal, whatever the command waits for. */
  protected override async init(): Promise<void> {
    await super.init();
    if (process.stderr.isTTY === true) (await import('./progress/progress.js')).progress.begin();
  }

  protected override async catch(error: Error): Promise<never> {
    throw error;
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    await this.#connection?.close();
    if (process.stderr.isTTY === true) (await import('./progress/progress.js')).progress.end();
    await super.finally(error);
  }

  /** The gateway that flags, environment and contexts name; its connections end with the command. */
  protected async connect(flags: ConnectionFlags): Promise<Connection> {
    const { connect } = await import('./contexts/connection.js');
    this.#connection = await connect(flags, process.env);
    const { context, gateway } = this.#connection;
    const where = context && !context.gateway_url ? `of the context ${context.name}` : `at ${gateway.url}`;
    await this.waitsFor(`Waiting for the gateway ${where}`);
    return this.#connection;
  }

  /** Says what a wait from now on is for, should it take longer. */
  protected async waitsFor(text: string): Promise<void> {
    if (process.stderr.isTTY === true) (await import('./progress/progress.js')).progress.about(text);
  }

  /** Prints an answer in the form that the flags name. */
  protected async answer(flags: { json?: boolean; output?: string | undefined }, answer: Answer): Promise<void> {
    const text = await rendered(answer, formatOf(flags), process.stdout.columns);
    if (text !== '') process.stdout.write(`${text}\n`);
  }

  /** Are the items of a stream printed as JSON lines? Throws UsageError for a form that a stream does not have. */
  protected async streamsJson(flags: { json?: boolean; output?: string | undefined }): Promise<boolean> {
    const format = formatOf(flags);
    if (format !== 'yaml' && format !== 'name') return format === 'json';
    const { UsageError } = await import('./client/errors.js');
    throw new UsageError(`-o ${format} is not a form of a stream.`, 'Use -o json: one document a line.');
  }

  /** One JSON document on one line. */
  protected printJson(value: unknown): void {
    process.stdout.write(`${JSON.stringify(value)}\n`);
  }
}
