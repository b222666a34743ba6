import { formatTime } from '@aip/runtime/protocol/time.js';
import type { AuditQueryResult } from '@aip/runtime/protocol/types.js';
import { Flags } from '@oclif/core';
import { AipCommand, readFlags } from '../command.js';
import { durationFlag } from '../duration.js';

/** Rows that an export asks for at once. */
const EXPORT_PAGE = 1000;

export default class Audit extends AipCommand {
  static override summary = 'Read who did what, or export it.';
  static override description =
    '--export writes every event with its receipt chains as JSON lines and needs the scope audit:export.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --since 1h',
    '<%= config.bin %> <%= command.id %> --export --from 2026-11-01T00:00:00Z > audit.ndjson',
  ];
  static override flags = {
    ...readFlags,
    action: Flags.string({ description: 'Only events of this action.', helpValue: 'ID' }),
    session: Flags.string({ description: 'Only events of this session.', helpValue: 'ID' }),
    principal: Flags.string({ description: 'Only events of this principal.', helpValue: 'ID' }),
    transaction: Flags.string({ description: 'Only events of this transaction.', helpValue: 'ID' }),
    from: Flags.string({ description: 'Only events from this time on (RFC 3339).', helpValue: 'TIME' }),
    to: Flags.string({ description: 'Only events until this time (RFC 3339).', helpValue: 'TIME' }),
    since: durationFlag({ description: 'Only events within this time.', exclusive: ['from'] }),
    export: Flags.boolean({ description: 'Write all pages as JSON lines, with receipts.' }),
    cursor: Flags.string({ description: 'Continue from the cursor that the last page printed.', helpValue: 'CURSOR' }),
    limit: Flags.integer({ min: 1, max: 1000, default: 100, description: 'Rows of the page.', helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Audit);
    const { read } = await import('../client/read.js');
    const { auditTable } = await import('../ui/tables/records.js');
    const { gateway } = await this.connect(flags);
    const page = (cursor: string | undefined, limit: number): Promise<AuditQueryResult> =>
      read<AuditQueryResult>(gateway, '/aip/v1/audit/events', {
        action_id: flags.action,
        session_id: flags.session,
        principal_id: flags.principal,
        transaction_id: flags.transaction,
        from: flags.since === undefined ? flags.from : formatTime(Date.now() - flags.since),
        to: flags.to,
        export: flags.export || undefined,
        cursor,
        limit,
      });
    if (flags.export) {
      for (let cursor = flags.cursor; ; ) {
        const found = await page(cursor, EXPORT_PAGE);
        for (const event of found.events) this.printJson({ event });
        for (const chain of found.receipt_chains ?? []) this.printJson({ receipt_chain: chain });
        cursor = found.cursor;
        if (cursor === undefined) return;
      }
    }
    const found = await page(flags.cursor, flags.limit);
    await this.answer(flags, {
      document: found,
      names: () => found.events.map(({ id }) => id),
      text: (view) => auditTable(found, view),
    });
  }
}
