import { AipCommand, connectionFlags } from '../command.js';
import type { Finding } from '../doctor/check.js';
import { formatOf } from '../output.js';

export default class Doctor extends AipCommand {
  static override summary = 'Diagnose the connection to a fleet and suggest fixes.';
  static override description =
    `This machine, the contexts, the gateway with its certificate, database, clock and your token; on a cluster also the definitions, the
controller and its leader, the gateway Pods and the instances. With AIP_REGISTRY_URL also the rights of that database user.

Exit code: 1 when something fails; warnings do not count.`;
  static override flags = { ...connectionFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(Doctor);
    const { examine } = await import('../doctor/examine.js');
    const { findingLines } = await import('../ui/finding-lines.js');
    const human = ['text', 'wide'].includes(formatOf(flags));
    const findings: Finding[] = [];
    await this.waitsFor('Waiting for the gateway, the database or the cluster');
    for await (const finding of examine(flags, process.env)) {
      findings.push(finding);
      if (human) for (const line of findingLines(finding, process.stdout.columns)) this.log(line);
    }
    const failed = findings.some(({ verdict }) => verdict === 'fail');
    if (!human)
      await this.answer(flags, {
        document: { ok: !failed, findings },
        names: () => findings.map(({ check }) => check),
        text: () => [],
      });
    if (failed) process.exitCode = 1;
  }
}
