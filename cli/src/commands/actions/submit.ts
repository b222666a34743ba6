import { Args, Flags } from '@oclif/core';
import { AipCommand, connectionFlags } from '../../command.js';
import { EXIT_CODE_HELP, exitCodeOf } from '../../exit-codes.js';

export default class ActionsSubmit extends AipCommand {
  static override summary = 'Submit an action.';
  static override description = `Submits one action in an envelope and prints the answer.

A lost answer is never followed by a second submit: the action is read instead. Errors that the capability's contract lets be
retried are retried with the same action id and idempotency key.

${EXIT_CODE_HELP}`;
  static override examples = [
    `<%= config.bin %> <%= command.id %> cap:demo:echo --input '{"text":"hello"}'`,
    `<%= config.bin %> <%= command.id %> cap:demo:count --input '{"n":5}' --follow`,
    '<%= config.bin %> <%= command.id %> cap:demo:report --input @report.json --mode async --idempotency-key report-7',
  ];
  static override args = {
    capability: Args.string({ required: true, description: 'Capability id, as `aip capabilities` prints it.' }),
  };
  static override flags = {
    ...connectionFlags,
    input: Flags.string({
      char: 'i',
      description: 'Input: JSON, @file, or - for standard input.',
      helpValue: 'JSON|@FILE|-',
    }),
    mode: Flags.option({
      options: ['sync', 'async', 'streaming'] as const,
      description: 'How it runs; followed actions stream where they can.',
    })(),
    'idempotency-key': Flags.string({
      description: 'Key under which a repeat gives the first result.',
      helpValue: 'KEY',
    }),
    timeout: Flags.integer({ min: 1, description: 'Longest run time in milliseconds.', helpValue: 'MS' }),
    session: Flags.string({ description: 'Session the action belongs to.', helpValue: 'ID' }),
    id: Flags.string({ description: 'Action id to use instead of a new one.', helpValue: 'ID' }),
    follow: Flags.boolean({ char: 'f', description: 'Follow the action to its end.' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ActionsSubmit);
    const { readInput } = await import('../../input.js');
    const { submitAction } = await import('../../client/submit.js');
    const { newId } = await import('@aip/runtime/protocol/ids.js');
    const { checkId } = await import('../../client/ids.js');
    const submission = {
      id: flags.id === undefined ? newId('action') : checkId('action', flags.id),
      capabilityId: args.capability,
      input: await readInput(flags.input),
      mode: flags.mode,
      idempotencyKey: flags['idempotency-key'],
      timeoutMs: flags.timeout,
      sessionId: flags.session === undefined ? undefined : checkId('session', flags.session),
    };
    const { gateway } = await this.connect(flags);
    if (flags.follow) {
      const { submitAndFollow } = await import('../../submit-and-follow.js');
      const { followedMode } = await import('../../client/contract.js');
      const mode = submission.mode ?? (await followedMode(gateway, submission.capabilityId));
      process.exitCode = await submitAndFollow(gateway, { ...submission, mode }, flags.json);
      return;
    }
    const submitted = await submitAction(gateway, submission);
    const { printSubmitted, stateOf } = await import('../../ui/follow/submitted.js');
    if (flags.json)
      this.printJson({
        action_id: submitted.actionId,
        state: stateOf(submitted),
        ...(submitted.ack ? { ack: submitted.ack } : {}),
        ...(submitted.result ? { result: submitted.result } : {}),
        ...(submitted.status ? { status: submitted.status } : {}),
      });
    else printSubmitted(submitted);
    process.exitCode = exitCodeOf(stateOf(submitted));
  }
}
