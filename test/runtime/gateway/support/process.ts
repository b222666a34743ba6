import { type ChildProcess, spawn } from 'node:child_process';
import { freePort } from '#runtime/postgres/free-port.js';
import { hasEnded } from '../../../support/program.ts';
import { NeverComes, until } from '../../../support/until.ts';

/** A gateway in a process of its own. */
export interface GatewayProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** What it wrote on standard error so far. */
  stderr(): string;
  /** Sends a signal and waits for the end; returns exit code and signal. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const RUN = `const { runProgram } = await import('#runtime/transport/program.js');
const { GATEWAY } = await import('#runtime/gateway/main.js');
await runProgram(GATEWAY, process.env);`;

/**
 * Spawns a gateway process with the given variables (without prefix), no other AIP_ ones, and `others` by their full names; does not wait
 * for anything.
 */
export function spawnGateway(
  env: Record<string, string>,
  others: Readonly<Record<string, string>> = {},
): {
  child: ChildProcess;
  stderr: () => string;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
} {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('AIP_'));
  const own = Object.entries(env).map(([name, value]) => [`AIP_GATEWAY_${name}`, value]);
  const child = spawn(process.execPath, ['--input-type=module', '-e', RUN], {
    cwd: import.meta.dirname,
    env: { ...Object.fromEntries([...inherited, ...own]), ...others },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done) =>
    child.once('exit', (code, signal) => done({ code, signal })),
  );
  return { child, stderr: () => stderr, ended };
}

/** Starts a gateway process and waits until it is ready. */
export async function startGatewayProcess(
  env: Record<string, string>,
  others?: Readonly<Record<string, string>>,
): Promise<GatewayProcess> {
  const port = await freePort();
  const { child, stderr, ended } = spawnGateway(
    {
      BIND: `127.0.0.1:${port}`,
      LOG_LEVEL: 'warn',
      DRAIN_MS: '500',
      ...env,
    },
    others,
  );
  const url = `http://127.0.0.1:${port}`;
  await until('the gateway is ready', async () => {
    if (hasEnded(child)) throw new NeverComes(`it ended: ${stderr()}`);
    return (await fetch(`${url}/ready`)).ok;
  });
  return {
    url,
    child,
    stderr,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}
