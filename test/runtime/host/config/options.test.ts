import { expect, test } from 'vitest';
import { HOST_OPTIONS, withOptions } from '#runtime/host/config/options.js';

const FLAGS = Object.keys(HOST_OPTIONS).filter((option) => option.includes('-allow-') || option.startsWith('allow-'));

test('each option sets its own variable and no other, and wins over it', () => {
  for (const [option, variable] of Object.entries(HOST_OPTIONS)) {
    const flag = FLAGS.includes(option);
    const before = { [`AIP_CONNECTOR_HOST_${variable}`]: 'earlier', AIP_CONNECTOR_HOST_OTHER: 'other' };
    expect(withOptions(flag ? [`--${option}`] : [`--${option}`, 'later'], before)).toEqual({
      ...before,
      [`AIP_CONNECTOR_HOST_${variable}`]: flag ? 'true' : 'later',
    });
  }
  expect(FLAGS).toHaveLength(5);
});

test('without options the environment is as it was, and scopes given one by one are one list', () => {
  const source = { AIP_CONNECTOR_HOST_TENANT_ID: 'acme', PATH: '/bin' };
  expect(withOptions([], source)).toEqual(source);
  const { AIP_CONNECTOR_HOST_CREDENTIAL_SCOPES: scopes } = withOptions(
    ['--credential-scope', 'read', '--credential-scope', 'write'],
    {},
  );
  expect(scopes).toBe('read,write');
});

test.each([[['--tenant', 'acme']], [['--tenant-id']], [['--database-url', 'postgres://localhost/aip']], [['acme']]])(
  'the arguments %j refuse the start',
  (args) => {
    expect(() => withOptions(args, {})).toThrow(expect.objectContaining({ code: 'connector_host.config' }));
  },
);
