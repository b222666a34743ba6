import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../command.js';

export default class Api extends AipCommand {
  static override summary = 'Send any request to the gateway, with the credential of the context.';
  static override description =
    'Prints the body of the answer; on a terminal indented. The exit code is 0 for an answer that is not an error; an error answer is printed too.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> GET /aip/v1/actions?limit=1',
    '<%= config.bin %> <%= command.id %> POST /aip/v1/messages --input @envelope.json',
  ];
  static override args = {
    method: Args.string({ required: true, description: 'GET or POST.' }),
    path: Args.string({ required: true, description: 'Path with its query.' }),
  };
  static override flags = {
    ...connectionFlags,
    output: Flags.option({
      char: 'o',
      options: ['json', 'yaml'] as const,
      description: 'Form of the answer.',
      helpGroup: 'OUTPUT',
    })(),
    input: Flags.string({
      char: 'i',
      description: 'Body: JSON, @file, or - for standard input.',
      helpValue: 'JSON|@FILE|-',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Api);
    const { readInput } = await import('../input.js');
    const { didYouMean, similar } = await import('@aip/controller/internal/suggest');
    const { GatewayRefused } = await import('@aip/runtime/internal/gateway');
    const { exitOf, UsageError } = await import('../client/errors.js');
    const method = args.method.toUpperCase();
    if (method !== 'GET' && method !== 'POST')
      throw new UsageError(
        `${args.method} is not a method of the API.`,
        didYouMean(similar(method, ['GET', 'POST'])) ?? 'Use GET or POST.',
      );
    const path = args.path.startsWith('/') ? args.path : `/${args.path}`;
    const { gateway } = await this.connect(flags);
    const body = flags.input === undefined ? undefined : await readInput(flags.input);
    try {
      const document = await gateway.request({ method, path, ...(body === undefined ? {} : { body }) });
      await this.answer(flags, { document, text: () => bodyText(document) });
    } catch (error) {
      if (!(error instanceof GatewayRefused)) throw error;
      const document = { error: error.error };
      await this.answer(flags, { document, text: () => bodyText(document) });
      process.exitCode = exitOf(error);
    }
  }
}

/** On a terminal a body has a line for each member. */
function bodyText(document: unknown): string {
  return JSON.stringify(document, null, process.stdout.isTTY ? 2 : 0);
}
