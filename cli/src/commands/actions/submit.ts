import type { Submission } from '@aip/runtime/client';
import type { Gateway } from '@aip/runtime/internal/gateway';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { EXIT } from '../../client/errors.js';
import { AipCommand, connectionFlags } from '../../command.js';
import { durationFlag, timeLeft } from '../../duration.js';
import { EXIT_CODE_HELP, exitCodeOf } from '../../exit-codes.js';
import { formatOf } from '../../output.js';

export default class ActionsSubmit extends AipCommand {
  static override summary = 'Submit an action.';
  static override description =
    `Submits one action in an envelope and prints the answer. Without --input a terminal asks for the required members; elsewhere the error shows an example made from the schema.

A lost answer is never followed by a second submit: the action is read instead. Errors that the capability's contract lets be retried are retried with the same action id and idempotency key.

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
    timeout: durationFlag({ description: 'Longest run time of the action.' }),
    session: Flags.string({ description: 'Session the action belongs to.', helpValue: 'ID' }),
    id: Flags.string({ description: 'Action id to use instead of a new one.', helpValue: 'ID' }),
    follow: Flags.boolean({ char: 'f', description: 'Follow the action to its end.' }),
    wait: Flags.boolean({ description: 'Wait for the end of an async action, without showing what it does.' }),
    'wait-timeout': durationFlag({
      description: 'Give up waiting after this time (exit code 124).',
      dependsOn: ['wait'],
    }),
    'print-curl': Flags.boolean({ description: 'Print the request as a curl command instead of sending it.' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ActionsSubmit);
    const { readInput } = await import('../../input.js');
    const { submitAction } = await import('@aip/runtime/client');
    const { newId } = await import('@aip/runtime/internal/protocol');
    const { checkId } = await import('@aip/runtime/internal/client');
    const submission: Submission & { id: string } = {
      id: flags.id === undefined ? newId('action') : checkId('action', flags.id),
      capabilityId: args.capability,
      input: await readInput(flags.input),
      mode: flags.mode,
      idempotencyKey: flags['idempotency-key'],
      timeoutMs: flags.timeout,
    };
    const connection = await this.connect(flags);
    const { gateway } = connection;
    if (flags.session !== undefined) {
      const { resolveId } = await import('../../client/resolve-id.js');
      submission.sessionId = await resolveId(gateway, 'session', flags.session);
    }
    if (flags['print-curl']) {
      const { curlOf } = await import('../../curl.js');
      return this.log(curlOf(gateway.url, submission, flags['token-file'] ?? connection.dev?.token_file));
    }
    if (flags.input === undefined)
      submission.input = await this.#missingInput(gateway, submission, formatOf(flags) !== 'text');
    if (flags.follow) {
      const { submitAndFollow } = await import('../../submit-and-follow.js');
      const { followedMode } = await import('@aip/runtime/internal/client');
      const mode = submission.mode ?? (await followedMode(gateway, submission.capabilityId));
      process.exitCode = await submitAndFollow(gateway, { ...submission, mode }, await this.streamsJson(flags));
      return;
    }
    const { withNearCapabilities } = await import('../../client/capability-for.js');
    const { interruptible } = await import('../../interrupt.js');
    await this.waitsFor(`Waiting for the gateway's answer to ${submission.id}`);
    const answer = await interruptible((signal) =>
      submitAction(gateway, submission, {
        signal,
        onWait: (ms) => this.logToStderr(`The connection broke; the action is read again in ${timeLeft(ms)} …`),
      }).catch((error: unknown) =>
        signal.aborted ? undefined : withNearCapabilities(gateway, submission.capabilityId, error),
      ),
    );
    if (!answer) {
      const { sayInterrupted } = await import('../../ui/follow/lines.js');
      sayInterrupted(submission.id);
      process.exitCode = EXIT.interrupted;
      return;
    }
    let submitted = answer;
    const { stateOf, submittedLines } = await import('../../ui/follow/submitted.js');
    if (flags.wait) {
      const { waitForEnd } = await import('../../wait-for-end.js');
      const status = await waitForEnd(gateway, submitted.actionId, flags['wait-timeout']);
      submitted = { actionId: submitted.actionId, status };
    }
    const { isStored } = await import('../../client/is-stored.js');
    const stored = await isStored(gateway, submitted);
    await this.answer(flags, {
      document: {
        action_id: submitted.actionId,
        state: stateOf(submitted),
        ...(stored ? {} : { stored }),
        ...(submitted.ack ? { ack: submitted.ack } : {}),
        ...(submitted.result ? { result: submitted.result } : {}),
        ...(submitted.status ? { status: submitted.status } : {}),
      },
      names: () => (stored ? [submitted.actionId] : []),
      text: ({ width }) => submittedLines(submitted, stored, width, args.capability),
    });
    process.exitCode = exitCodeOf(stateOf(submitted), (submitted.result ?? submitted.status?.result)?.error);
  }

  /** On a terminal the user is prompted for required members; elsewhere the error shows an example. */
  async #missingInput(gateway: Gateway, submission: Submission, forPrograms: boolean): Promise<unknown> {
    const { capabilityId, idempotencyKey } = submission;
    const { checkKeyGiven, missingInput } = await import('../../client/capability-for.js');
    const { asking, canAsk } = await import('../../ask.js');
    if (forPrograms || !canAsk()) return missingInput(gateway, capabilityId, undefined);
    const { askInput } = await import('../../client/ask-input.js');
    const show = (line: string): void => this.logToStderr(line);
    return missingInput(gateway, capabilityId, (capability) => {
      // Better before a person types the input than after.
      checkKeyGiven(capability, idempotencyKey);
      return asking((ask) => askInput(capability.input_schema, ask, show));
    });
  }
}
