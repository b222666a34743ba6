import { signWithLibsodium } from '../protocol/signing.js';
import { type Logger, openLogger } from './process/logger.js';
import { onShutdown, type Shutdown, type ShutdownStep } from './process/shutdown.js';
import { failStart } from './process/startup.js';
import { startTelemetry, TELEMETRY_STOP_MS } from './telemetry/telemetry.js';

/** Variables that a program reads its settings from. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A long-running program of the fleet: its settings, its parts, and how it ends. */
export interface Program<Config> {
  /** Names it in its log and its traces. */
  readonly component: string;
  /** Names it in traces, where another name is known there. */
  readonly service?: string;
  /** Code of a failed start that has none of its own. */
  failureCode(error: unknown): string | undefined;
  /** Reads and checks all settings. Throws StartupRefused. */
  read(environment: Environment): Config;
  /** Level and fields of its log. */
  log(config: Config, environment: Environment): LogSettings;
  /** Opens its parts and serves. It calls `stopBy` before it waits for anything that may take long; until then a signal ends the process. */
  start(config: Config, running: RunningProgram): Promise<void>;
}

/** The level of a program's log, info by default, and the fields of each of its lines. */
export interface LogSettings {
  readonly level: string | undefined;
  readonly fields?: Readonly<Record<string, string>>;
}

/** What a program is given that starts. */
export interface RunningProgram {
  readonly environment: Environment;
  readonly log: Logger;
  /** Names the steps that end the program, in order; from here on a signal runs them. */
  stopBy(steps: readonly ShutdownStep[]): Shutdown;
}

/**
 * Runs a program until it is asked to stop: settings, log, telemetry, parts. A start that must not continue leaves one JSON line
 * {code, message} on standard error and exit code 1.
 */
export async function runProgram<Config>(program: Program<Config>, environment: Environment): Promise<void> {
  const { component, service = component } = program;
  try {
    const config = program.read(environment);
    const { level, fields } = program.log(config, environment);
    const plain = openLogger({ component, level });
    const log = fields ? plain.child(fields) : plain;
    if (!signWithLibsodium()) log.debug('signatures are made without libsodium, which has no build for this platform');
    const stopTelemetry = await startTelemetry(environment, service, log);
    const telemetry = { name: 'telemetry', boundMs: TELEMETRY_STOP_MS + 500, run: stopTelemetry };
    const stopBy = (steps: readonly ShutdownStep[]): Shutdown => onShutdown({ log, steps: [...steps, telemetry] });
    await program.start(config, { environment, log, stopBy });
  } catch (error) {
    failStart(error, program.failureCode(error));
  }
}
