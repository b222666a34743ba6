import type { EventPage } from '../../client/event-page.js';
import { ActionPageCommand } from '../../command-bases/action-page-command.js';

export default class ActionsEvents extends ActionPageCommand {
  static override summary = 'Read the events of an action.';
  protected override readonly route = 'events';
  protected override names = ({ events }: EventPage): string[] => events.map(({ id }) => id);
  protected override table = async () => (await import('../../ui/tables/events.js')).actionEventTable;
}
