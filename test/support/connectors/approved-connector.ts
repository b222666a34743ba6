import { capability, defineConnector, idempotentWrite, readOnly } from '@aip/runtime/sdk';
import type { ApprovalPolicy } from '#runtime/protocol/types.js';

const approval: ApprovalPolicy = {
  required: true,
  reason: 'a test wants to be asked',
  approver_selector: { type: 'role', name: 'approver' },
  minimum_distinct_principals: 2,
  separation_of_duties: { requester_must_differ: true, operator_must_differ: false, allow_self_approval: false },
};

/** A connector whose capabilities all need two approvers: a stream, and a payment that counts how often it was made. */
export default defineConnector({
  type: 'approved',
  configSchema: { type: 'object' },
  capabilities: [
    capability({
      id: 'cap:approved:count',
      name: 'Count',
      description: 'Streams the numbers from 1 to n.',
      risk: 'low',
      input: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
      contract: readOnly({ execution: { supports_streaming: true, expected_completion: 'streaming' }, approval }),
      run: async ({ n }, { action, emit }) => {
        for (let value = 1; value <= n; value += 1) await emit({ kind: 'data', data: { value } });
        await emit({ kind: 'done', data: { count: n } });
        return { count: n, approval_id: action.approval?.approval_id };
      },
    }),
    capability({
      id: 'cap:approved:pay',
      name: 'Pay',
      description: 'Pays once for each key and tells how many payments there were.',
      risk: 'low',
      input: { type: 'object' },
      contract: idempotentWrite({ key: 'optional', approval }),
      run: async (_input, { action, state }) => ({ paid: await state.increment(`paid:${action.id}`) }),
    }),
  ],
});
