import { until } from '../../support/until.ts';

/** Watches the event loop of another Node.js process. */
export interface LoopWork {
  /** The longest work on its loop since the call before, in ms of CPU, however busy the machine is. */
  longestMs(): Promise<number>;
}

/** Where a Node.js process answers its inspector after SIGUSR1. */
const INSPECTOR = 'http://127.0.0.1:9229/json/list';
const TICK_MS = 5;

/** Notes how much CPU the main thread uses between two turns of a short timer, which nothing but work on the loop delays. */
const WATCH = `
  globalThis.__longest = 0;
  let last = process.threadCpuUsage();
  setInterval(() => {
    const now = process.threadCpuUsage();
    globalThis.__longest = Math.max(globalThis.__longest, (now.user + now.system - last.user - last.system) / 1000);
    last = now;
  }, ${TICK_MS}).unref(); 0`;
const READ = '(() => { const longest = globalThis.__longest; globalThis.__longest = 0; return longest; })()';

/** Attaches to a process of this user through its inspector; one process at a time. */
export async function watchLoop(pid: number): Promise<LoopWork> {
  process.kill(pid, 'SIGUSR1');
  const address = await until('the inspector answers', async () => {
    const [target] = (await (await fetch(INSPECTOR)).json()) as { webSocketDebuggerUrl: string }[];
    return target?.webSocketDebuggerUrl;
  });
  const socket = new WebSocket(address);
  const answers = new Map<number, (value: number) => void>();
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: { result: { value: number } } };
    answers.get(id)?.(result.result.value);
  };
  await new Promise((done) => {
    socket.onopen = done;
  });
  let asked = 0;
  const evaluate = (expression: string): Promise<number> =>
    new Promise((done) => {
      asked += 1;
      answers.set(asked, done);
      socket.send(JSON.stringify({ id: asked, method: 'Runtime.evaluate', params: { expression } }));
    });
  await evaluate(WATCH);
  return { longestMs: () => evaluate(READ) };
}
