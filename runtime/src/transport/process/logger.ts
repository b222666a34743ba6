import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

const SECRET_NAMES = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'credential',
  'seed',
  'connectionString',
  'signature',
  'body',
  'input',
  'output',
];

/**
 * JSON lines on standard error. Members with a secret's name, and bodies, inputs and outputs, are replaced at the top level and one
 * below; callers log ids, codes and counts. `level` defaults to info.
 */
export function openLogger(options: { component: string; level?: string | undefined }): Logger {
  return pino(
    {
      level: options.level ?? 'info',
      base: { component: options.component, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    },
    pino.destination({ fd: 2, sync: false }),
  );
}
