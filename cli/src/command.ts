import { Command, Flags } from '@oclif/core';
import { type Connection, type ConnectionFlags, connect } from './contexts/connection.js';
import { type Answer, formatOf, rendered } from './output.js';

/** Flags that every command takes. */
export const outputFlags = {
  json: Flags.boolean({
    description: 'Print JSON: one document, or one line per item while following.',
    helpGroup: 'OUTPUT',
  }),
};

/** Flags of commands whose answer has several forms. */
export const answerFlags = {
  ...outputFlags,
  output: Flags.option({
    char: 'o',
    options: ['json', 'yaml', 'wide', 'name'] as const,
    description: 'Form of the answer: wide leaves no column out, name prints ids only.',
    helpGroup: 'OUTPUT',
    exclusive: ['json'],
  })(),
};

/** The flag that names a fleet; every command that goes to one takes it. */
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

/** Flags of commands that read something from a gateway. */
export const readFlags = { ...answerFlags, ...gatewayFlags };

/** What all commands share: how they print and how they find the gateway. Errors are reported in one place (report-error). */
export abstract class AipCommand extends Command {
  #connection: Connection | undefined;

  protected override async catch(error: Error): Promise<never> {
    throw error;
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    await this.#connection?.close();
    await super.finally(error);
  }

  /** The gateway that flags, environment and contexts name; its connections end with the command. */
  protected async connect(flags: ConnectionFlags): Promise<Connection> {
    this.#connection = await connect(flags, process.env);
    return this.#connection;
  }

  /** Prints an answer in the form that the flags ask for. */
  protected async answer(flags: { json?: boolean; output?: string | undefined }, answer: Answer): Promise<void> {
    const text = await rendered(answer, formatOf(flags), process.stdout.columns);
    if (text !== '') process.stdout.write(`${text}\n`);
  }

  /** One JSON document on one line. */
  protected printJson(value: unknown): void {
    process.stdout.write(`${JSON.stringify(value)}\n`);
  }
}
