import { Command, Flags } from '@oclif/core';
import { type Connection, connect } from './client/connection.js';

/** Flags that every command takes. */
export const outputFlags = {
  json: Flags.boolean({ description: 'Print JSON: one document, or one line an item while following.' }),
};

/** Flags of commands that talk to a gateway. */
export const connectionFlags = {
  ...outputFlags,
  gateway: Flags.string({
    description: 'Gateway URL; else AIP_GATEWAY_URL, else the running `aip dev`.',
    helpValue: 'URL',
    helpGroup: 'CONNECTION',
  }),
  'token-file': Flags.string({
    description: 'File with the bearer token; else AIP_TOKEN or AIP_TOKEN_FILE, else that of `aip dev`.',
    helpValue: 'FILE',
    helpGroup: 'CONNECTION',
  }),
  data: Flags.string({
    description: 'Data folder of the `aip dev` to talk to.',
    helpValue: 'DIR',
    helpGroup: 'CONNECTION',
  }),
};

/** What all commands share: how they print and how they find the gateway. Errors are told in one place (report-error). */
export abstract class AipCommand extends Command {
  protected override async catch(error: Error): Promise<never> {
    throw error;
  }

  protected connect(flags: { gateway?: string; 'token-file'?: string; data?: string }): Promise<Connection> {
    return connect(flags, process.env);
  }

  /** One JSON document on one line. */
  protected printJson(value: unknown): void {
    process.stdout.write(`${JSON.stringify(value)}\n`);
  }
}
