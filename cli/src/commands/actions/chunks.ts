import type { EventPage } from '../../client/event-page.js';
import { ActionPageCommand } from '../../command-bases/action-page-command.js';

export default class ActionsChunks extends ActionPageCommand {
  static override summary = 'Read the chunks of a streaming action.';
  protected override readonly route = 'chunks';
  protected override names = ({ chunks = [] }: EventPage): string[] => chunks.map(({ sequence }) => String(sequence));
  protected override table = async () => (await import('../../ui/tables/events.js')).chunkLines;
}
