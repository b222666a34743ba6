import type { CallbackDeliveryRecord } from '@aip/runtime/internal/protocol';
import * as Args from '@oclif/core/args';
import { AipCommand, connectionFlags } from '../../command.js';

export default class DeliveriesGet extends AipCommand {
  static override summary = 'Show a delivery with its attempts.';
  static override args = { id: Args.string({ required: true, description: 'Delivery id, or its beginning.' }) };
  static override flags = { ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DeliveriesGet);
    const { resolveId } = await import('../../client/resolve-id.js');
    const { read, segment } = await import('../../client/read.js');
    const { deliveryLines } = await import('../../ui/tables/records.js');
    const { gateway } = await this.connect(flags);
    const id = await resolveId(gateway, 'delivery', args.id);
    const record = await read<CallbackDeliveryRecord>(gateway, `/aip/v1/callback-deliveries/${segment(id)}`);
    await this.answer(flags, {
      document: record,
      names: () => [record.delivery_id],
      text: () => deliveryLines(record),
    });
  }
}
