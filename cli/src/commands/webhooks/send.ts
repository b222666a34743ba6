import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, outputFlags } from '../../command.js';

export default class WebhooksSend extends AipCommand {
  static override summary = 'Sign a delivery and send it to a webhook route.';
  static override description =
    `Sends the bytes of FILE as a provider would: with a delivery identifier, the time, and a signature made with the secret. Without --url it goes to the webhook route of the running \`aip dev\`.

The key is the exact bytes of the secret file, a line feed at its end included.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> delivery.json --secret-file webhook-secret',
    '<%= config.bin %> <%= command.id %> - --secret-file webhook-secret --url https://hooks.example/webhooks/chatwoot',
  ];
  static override args = {
    file: Args.string({ required: true, description: 'Body to send; - reads standard input.' }),
  };
  static override flags = {
    ...outputFlags,
    'secret-file': Flags.string({ required: true, description: 'File with the webhook secret.', helpValue: 'FILE' }),
    url: Flags.string({ description: 'Webhook route; it ends in /webhooks/<type>.', helpValue: 'URL' }),
    instance: Flags.string({ description: 'Instance of the running `aip dev` to send to.', helpValue: 'NAME' }),
    'delivery-id': Flags.string({
      description: 'Delivery identifier (default: a new one); the same one again is the same event.',
      helpValue: 'ID',
    }),
    'ca-file': Flags.string({ description: 'Certificates (PEM) to trust besides the public ones.', helpValue: 'FILE' }),
    data: Flags.string({ description: 'Data folder of the `aip dev` to send to.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksSend);
    const { sendDelivery } = await import('../../webhooks/send-delivery.js');
    await this.waitsFor('Waiting for the answer to the delivery');
    const sent = await sendDelivery(
      {
        file: args.file,
        secretFile: flags['secret-file'],
        url: flags.url,
        instance: flags.instance,
        deliveryId: flags['delivery-id'],
        caFile: flags['ca-file'],
        data: flags.data,
      },
      process.env,
    );
    const { sentLine } = await import('../../webhooks/sent-line.js');
    await this.answer(flags, { document: sent, names: () => [sent.delivery_id], text: () => sentLine(sent) });
    if (sent.status !== 200) process.exitCode = 1;
  }
}
