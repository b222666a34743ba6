/** What a long-running program starts and stops with, for sibling packages: settings, logger, telemetry, shutdown. */
export { type Logger, openLogger } from '../transport/process/logger.js';
export { endAtOnceOnSignals, type ShutdownStep } from '../transport/process/shutdown.js';
export { type Program, type RunningProgram, runProgram } from '../transport/program.js';
export { databaseOf } from '../transport/settings/database.js';
export { type Env, env, isLoopbackHost, parseBind } from '../transport/settings/env.js';
export { IMPORT_VARIABLE, importSecrets, parseSecretImports } from '../transport/settings/import-secrets.js';
export { type FileSetting, followSetting, type LiveSetting } from '../transport/settings/live-setting.js';
export { signingKeyOf } from '../transport/settings/seed.js';
export { serverTlsOf } from '../transport/settings/tls.js';
export { type SpanStart, traced } from '../transport/telemetry/telemetry.js';
export { parseTraceparent } from '../transport/telemetry/trace-context.js';
