import { readdir, readFile, readlink } from 'node:fs/promises';

/** Id of the Node.js process of a Pod whose containers are processes of this machine. Throws when none runs. */
export async function podProcess(pod: string): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (!environment.split('\0').includes(`HOSTNAME=${pod}`)) continue;
    if ((await readlink(`/proc/${pid}/exe`).catch(() => '')).endsWith('/node')) return Number(pid);
  }
  throw new Error(`no process of the Pod ${pod} runs here`);
}
