import type { Manifest as ManifestDocument } from '@aip/runtime/internal/protocol';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../command.js';

export default class Manifest extends AipCommand {
  static override summary = "Show the gateway's own manifest.";
  static override description =
    'What the gateway itself offers; `aip capabilities` shows what the connectors of a tenant do.';
  static override flags = {
    ...connectionFlags,
    capability: Flags.string({
      multiple: true,
      description: 'Only this capability; may be repeated.',
      helpValue: 'ID',
    }),
    profile: Flags.string({ multiple: true, description: 'Only this profile; may be repeated.', helpValue: 'PROFILE' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Manifest);
    const { read } = await import('../client/read.js');
    const { detailLines } = await import('../ui/detail-lines.js');
    const { gateway } = await this.connect(flags);
    const manifest = await read<ManifestDocument>(gateway, '/aip/v1/manifest', {
      capability_id: flags.capability?.join(','),
      profile: flags.profile?.join(','),
    });
    await this.answer(flags, {
      document: manifest,
      names: () => (manifest.capabilities ?? []).map(({ id }) => id),
      text: () => [
        ...detailLines([
          ['agent', manifest.agent.id],
          ['kind', manifest.agent.kind],
          ['version', manifest.manifest_version],
          ['DID', manifest.agent.did],
          ...manifest.profiles.map((profile, at): [string, string] => [at === 0 ? 'profiles' : '', profile]),
        ]),
        ...(manifest.capabilities ?? []).map(({ id, description }) => `${id}  ${description ?? ''}`.trimEnd()),
      ],
    });
  }
}
