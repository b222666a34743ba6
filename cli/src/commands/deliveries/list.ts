import type { CallbackDeliveryList } from '@aip/runtime/internal/protocol';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';

export default class DeliveriesList extends AipCommand {
  static override summary = 'List deliveries of results to callbacks.';
  static override flags = {
    ...connectionFlags,
    action: Flags.string({ description: 'Only those of this action.', helpValue: 'ID' }),
    status: Flags.string({ description: 'Only those with this status.', helpValue: 'STATUS' }),
    target: Flags.string({ description: 'Only those to this target.', helpValue: 'URL' }),
    cursor: Flags.string({ description: 'Continue from the cursor that the last page printed.', helpValue: 'CURSOR' }),
    limit: Flags.integer({ min: 1, max: 1000, default: 100, description: 'Rows of the page.', helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(DeliveriesList);
    const { resolveFilter } = await import('../../client/resolve-id.js');
    const { read } = await import('../../client/read.js');
    const { deliveryTable } = await import('../../ui/tables/records.js');
    const { gateway } = await this.connect(flags);
    const page = await read<CallbackDeliveryList>(gateway, '/aip/v1/callback-deliveries', {
      action_id: await resolveFilter(gateway, 'action', flags.action),
      status: flags.status,
      target: flags.target,
      cursor: flags.cursor,
      limit: flags.limit,
    });
    await this.answer(flags, {
      document: page,
      names: () => page.deliveries.map(({ delivery_id }) => delivery_id),
      text: (view) => deliveryTable(page, view),
    });
  }
}
