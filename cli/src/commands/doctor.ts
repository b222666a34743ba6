import { AipCommand, connectionFlags } from '../command.js';

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
    const findings = [];
    for await (const finding of examine(flags, process.env)) {
      findings.push(finding);
      if (!flags.json) for (const line of findingLines(finding, process.stdout.columns)) this.log(line);
    }
    const failed = findings.some(({ verdict }) => verdict === 'fail');
    if (flags.json) this.printJson({ ok: !failed, findings });
    if (failed) process.exitCode = 1;
  }
}
