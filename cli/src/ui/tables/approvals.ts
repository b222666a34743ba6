import type { ApprovalList, ApprovalRecordView, ApproverSelector } from '@aip/runtime/internal/protocol';
import { age } from '../age.js';
import { detailLines, jsonLines, pageLine } from '../detail-lines.js';
import { paint, paintState } from '../paint.js';
import { when } from '../when.js';
import { type Column, table } from './table.js';

const columns = (now: number): Column<ApprovalRecordView>[] => [
  { title: 'APPROVAL', value: ({ request }) => request.id, shrink: 'id' },
  { title: 'CAPABILITY', value: ({ request }) => request.capability_id, shrink: 'middle', least: 14 },
  { title: 'STATUS', value: ({ status }) => status, paint: (text) => paintState(text) },
  { title: 'AGE', value: ({ created_at }) => age(created_at, now), align: 'right' },
  { title: 'REQUESTER', value: ({ request }) => request.requester.id, shrink: 'middle', drop: 2 },
  { title: 'REASON', value: ({ request }) => request.reason, shrink: 'end', drop: 3 },
  { title: 'ACTION', value: ({ request }) => request.action_id, wide: true },
];

/** A page of approvals for people. */
export function approvalTable(page: ApprovalList, view: { width?: number | undefined; wide?: boolean }): string[] {
  if (page.approvals.length === 0) return ['No approvals.'];
  const text = table(page.approvals, columns(Date.now()), view.width, { wide: view.wide === true });
  return [...text.split('\n'), ...pageLine(page.cursor)];
}

/** One approval for people: exactly what is approved, by whom it may be, and until when. */
export function approvalLines({ request, status, decision, evidence_payload }: ApprovalRecordView): string[] {
  const input = request.evidence?.find(({ kind }) => kind === 'input_snapshot');
  return [
    ...detailLines([
      ['approval', request.id],
      ['status', paintState(status)],
      ['capability', request.capability_id],
      ['action', request.action_id],
      ['reason', request.reason],
      ['risk', request.risk],
      ['value', request.governed_value],
      ['requester', request.requester.id],
      ['approver', selectorText(request.approver_selector)],
      ['input hash', evidence_payload?.input_hash ?? input?.hash],
      ['policy hash', request.policy_hash],
      ['expires', when(request.expires_at)],
      ['decided', decision && `${decision.decision} by ${decision.approver.id}`],
      ['decided at', when(decision?.decided_at)],
      ['decision reason', decision?.reason],
    ]),
    ...(evidence_payload
      ? jsonLines('input', evidence_payload.input)
      : input?.redacted
        ? [paint.dim('The input is redacted; --evidence shows it.')]
        : []),
  ];
}

function selectorText(selector: ApproverSelector): string {
  if (selector.type === 'principal') return selector.id;
  if (selector.type === 'role' || selector.type === 'group') return `anyone with the ${selector.type} ${selector.name}`;
  return selector.type === 'external_system' ? `the system ${selector.system}` : 'by the policy of the tenant';
}
