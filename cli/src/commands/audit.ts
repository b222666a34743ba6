import { type AuditQueryResult, formatTime } from '@aip/runtime/internal/protocol';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../command.js';
import { durationFlag } from '../duration.js';

/** Rows that an export requests at once. */
const EXPORT_PAGE = 1000;

export default class Audit extends AipCommand {
  static override summary = 'Read who did what, or export it.';
  static override description =
    '--export writes every event with its receipt chains as JSON lines and needs the scope audit:export. Without audit:sensitive the gateway leaves data out, and the receipts cannot be verified.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --since 1h',
    '<%= config.bin %> <%= command.id %> --export --from 2026-11-01T00:00:00Z > audit.ndjson',
  ];
  static override flags = {
    ...connectionFlags,
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
    const { resolveFilter } = await import('../client/resolve-id.js');
    const { gateway } = await this.connect(flags);
    const [action, session, transaction] = await Promise.all([
      resolveFilter(gateway, 'action', flags.action),
      resolveFilter(gateway, 'session', flags.session),
      resolveFilter(gateway, 'transaction', flags.transaction),
    ]);
    const page = (cursor: string | undefined, limit: number): Promise<AuditQueryResult> =>
      read<AuditQueryResult>(gateway, '/aip/v1/audit/events', {
        action_id: action,
        session_id: session,
        principal_id: flags.principal,
        transaction_id: transaction,
        from: flags.since === undefined ? flags.from : formatTime(Date.now() - flags.since),
        to: flags.to,
        export: flags.export || undefined,
        cursor,
        limit,
      });
    if (flags.export) return this.#export(page, flags.cursor);
    const found = await page(flags.cursor, flags.limit);
    await this.answer(flags, {
      document: found,
      names: () => found.events.map(({ id }) => id),
      text: (view) => auditTable(found, view),
    });
  }

  /** Writes all pages as JSON lines; says on standard error when the gateway left data out. */
  async #export(
    page: (cursor: string | undefined, limit: number) => Promise<AuditQueryResult>,
    from: string | undefined,
  ): Promise<void> {
    const { receiptsWithoutData } = await import('../client/chain-problem.js');
    let withheld = 0;
    for (let cursor = from; ; ) {
      const found = await page(cursor, EXPORT_PAGE);
      for (const event of found.events) this.printJson({ event });
      for (const chain of found.receipt_chains ?? []) {
        withheld += receiptsWithoutData(chain);
        this.printJson({ receipt_chain: chain });
      }
      cursor = found.cursor;
      if (cursor === undefined) break;
    }
    if (withheld > 0)
      this.logToStderr(
        `The data of ${withheld} receipts was left out, so they cannot be verified: the token lacks the scope audit:sensitive.`,
      );
  }
}
