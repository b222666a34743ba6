/** Lets gateways that do not know the subject of an approval yet go on to store approvals while they are replaced. */
export const approvalSubject = {
  id: 7,
  name: 'approval-subject',
  sql: `
ALTER TABLE runtime.approvals ALTER COLUMN subject_id DROP NOT NULL;
`,
} as const;
