import { run } from '../process/command.ts';

const TABLES = ['filter', 'nat', 'mangle'] as const;

/** Chains of kubelet, kube-proxy and the network plugins. */
const OURS = /^(KUBE|CNI)-/;

/** What to give `iptables-restore --noflush` so that nothing of the cluster's stays in a table, or undefined when nothing is there. */
export function cleanupRules(table: string, saved: string): string | undefined {
  const lines = saved.split('\n');
  const chains = lines.flatMap((line) => /^:(\S+)/.exec(line)?.[1] ?? []).filter((chain) => OURS.test(chain));
  const jumps = lines.filter((line) => {
    const [, from, target] = /^-A (\S+) .*-[jg] (\S+)/.exec(line) ?? [];
    return from && target && !OURS.test(from) && OURS.test(target);
  });
  if (chains.length === 0 && jumps.length === 0) return undefined;
  return [
    `*${table}`,
    ...chains.map((chain) => `:${chain} - [0:0]`),
    ...jumps.map((rule) => rule.replace(/^-A /, '-D ')),
    ...chains.map((chain) => `-X ${chain}`),
    'COMMIT',
    '',
  ].join('\n');
}

/** Removes the cluster's chains, and the rules that jump to them, from the packet filter. */
export async function cleanPacketFilter(): Promise<void> {
  for (const family of ['iptables', 'ip6tables']) {
    for (const table of TABLES) {
      const rules = cleanupRules(table, await run(`${family}-save`, ['-t', table]));
      if (rules) await run(`${family}-restore`, ['--noflush', '--wait'], { input: rules });
    }
  }
}
