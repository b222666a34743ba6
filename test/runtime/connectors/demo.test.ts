import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { echo } from '#runtime/connectors/demo/echo.js';
import { ConnectorFailure, OperationUnsupported, projectFailure } from '#runtime/connectors/sdk/failure.js';
import { dispatchOf } from '#runtime/connectors/sdk/operation.js';
import { checkManifestRules } from '#runtime/protocol/decode/rules.js';
import { digestOf } from '#runtime/protocol/digest.js';
import type { Action, TransactionMode } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';

const BIN = resolve(import.meta.dirname, '..', '..', '..', 'runtime', 'bin', 'aip-runtime.js');

/** Runs `aip-runtime` with no environment of ours. */
function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [BIN, ...args], { env: { PATH: process.env.PATH } }, (error, out, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}

test('describe prints one JSON line with a valid manifest that depends on the configuration alone', async () => {
  const described = await run('describe', '--connector', 'demo', '--config', '{"name":"a"}');
  expect(described).toMatchObject({ code: 0, err: '' });
  expect(described.out.trimEnd().split('\n')).toHaveLength(1);
  const { manifest, implementation_support, config_schema, sdk_version } = JSON.parse(described.out);
  expect(check('Manifest', manifest)).toEqual([]);
  checkManifestRules(manifest);
  expect(manifest.agent).toEqual({ id: 'agent:demo:a', kind: 'agent', display_name: 'Demo connector' });
  expect(manifest.channels).toEqual(['demo-events']);
  expect(manifest.profiles).toEqual(['aip.native.http.v1', 'aip.host.journal.v1']);
  expect(manifest.capabilities.map(({ id }: { id: string }) => id)).toEqual([
    'cap:demo:echo',
    'cap:demo:count',
    'cap:demo:report',
    'cap:demo:refund',
    'cap:demo:flaky',
    'cap:demo:transfer',
  ]);
  expect(implementation_support['cap:demo:count']).toEqual({
    invocation: true,
    cancellation: true,
    streaming: true,
    retry: true,
    transaction: false,
    reconciliation: false,
    compensation: false,
    approval: false,
    credentials: false,
  });
  expect(implementation_support['cap:demo:refund'].approval).toBe(true);
  expect(config_schema).toMatchObject({ type: 'object' });
  expect(sdk_version).toBe('2');
  const again = JSON.parse((await run('describe', '--connector', 'demo', '--config', '{"name":"a"}')).out);
  expect(digestOf(again.manifest)).toBe(digestOf(manifest));
});

test.each([
  [['describe', '--connector', 'demo', '--config', '{"name":7}'], 'connector.config_invalid', '/name'],
  [['describe', '--connector', 'nothing'], 'connector.unknown', 'demo'],
  [['describe', '--module', '/no/such/module.js'], 'connector.unknown', '/no/such/module.js'],
  [['describe', '--connector', 'demo', '--config', '{'], 'connector.describe', 'JSON'],
  [['describe', '--what'], 'connector.describe', '--what'],
])('a describe that cannot be answered leaves one JSON line: %j', async (args, code, text) => {
  const { code: exit, out, err } = await run(...args);
  expect(exit).toBe(1);
  expect(out).toBe('');
  expect(JSON.parse(err)).toMatchObject({ code, message: expect.stringContaining(text) });
});

test('help and version say what the program is; another word is refused', async () => {
  for (const args of [['--help'], ['describe', '--help'], ['host', '--help']])
    expect((await run(...args)).out).toContain('aip-runtime describe');
  expect((await run('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await run('dance')).code).toBe(2);
});

test.each<[TransactionMode | undefined, string]>([
  [undefined, 'run'],
  ['execute', 'run'],
  ['rollback_not_supported', 'run'],
  ['dry_run', 'plan'],
  ['plan', 'plan'],
  ['commit', 'commit'],
  ['compensate', 'compensate'],
  ['reconcile', 'reconcile'],
])('the transaction mode %s becomes the call %s', (mode, call) => {
  const action = { id: 'act_1', capability_id: 'cap:demo:echo', input: {}, ...(mode && { transaction: { mode } }) };
  expect(dispatchOf(action as Action, echo).call).toBe(call);
});

test('failures are projected with every detail, nulls kept; an error that is not a typed failure does not reveal its text', () => {
  const failure = new ConnectorFailure({
    code: 'connector.x.busy',
    message: 'busy',
    category: 'temporary',
    retryable: true,
    retryAfterMs: 7,
    providerRequestId: 'req-1',
    remoteStatus: 503,
  });
  const at = { source: 'x', operation: 'invocation', mutates: true } as const;
  expect(projectFailure(failure, at)).toEqual({
    code: 'connector.x.busy',
    message: 'busy',
    category: 'temporary',
    retryable: true,
    retry_after_ms: 7,
    source: { component: 'x' },
    details: {
      operation: 'invocation',
      provider_request_id: 'req-1',
      provider_operation: null,
      remote_status: 503,
      uncertain_outcome: false,
      details: null,
    },
  });
  const leaky = projectFailure(new Error('password is hunter2'), at);
  expect(JSON.stringify(leaky)).not.toContain('hunter2');
  expect(leaky).toMatchObject({ code: 'connector.operation_failed', details: { uncertain_outcome: true } });
  expect(projectFailure(new OperationUnsupported('compensation'), at)).toMatchObject({
    code: 'connector.operation_unsupported',
    category: 'permanent',
    details: { operation: 'compensation' },
  });
});
