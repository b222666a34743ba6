import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, outputFlags } from '../../command.js';

export default class ReceiptsVerify extends AipCommand {
  static override summary = 'Verify receipts from a file, without a gateway.';
  static override description =
    'The file holds a receipt chain, an action with its chain, an export of the audit (JSON lines), or a signed envelope with one of these. Every hash and link is checked again. A signed envelope must be signed by one of the trusted DIDs.\n\nExit code: 0 when everything verifies, 8 when something does not.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> receipts.json',
    '<%= config.bin %> <%= command.id %> envelope.json --trust did:key:z6Mk…',
    'cat audit.ndjson | <%= config.bin %> <%= command.id %> -',
  ];
  static override args = { file: Args.string({ required: true, description: 'File to verify; - is standard input.' }) };
  static override flags = {
    ...outputFlags,
    trust: Flags.string({
      multiple: true,
      description: 'DID whose signature is trusted; may be repeated. Default: the gateway of the running `aip dev`.',
      helpValue: 'DID',
    }),
    data: Flags.string({ description: 'Data folder of the `aip dev` whose gateway is trusted.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ReceiptsVerify);
    const { verifyFile } = await import('../../records/verify-receipts.js');
    const { receiptLines } = await import('../../ui/tables/action-details.js');
    const { paint } = await import('../../ui/paint.js');
    const { readDev } = await import('../../contexts/connection.js');
    const { defaultDataDir } = await import('@aip/controller/internal/data-folder');
    const dev = flags.trust ? undefined : await readDev(flags.data ?? defaultDataDir(process.env));
    const found = await verifyFile(args.file, flags.trust ?? (dev ? [dev.gateway.did] : []));
    const ok = found.chains.every(({ problem }) => problem === undefined) && found.signature?.problem === undefined;
    await this.answer(flags, {
      document: {
        verified: ok,
        ...(found.signature ? { signature: found.signature } : {}),
        chains: found.chains.map(({ chain, problem }) => ({
          chain_id: chain.chain_id,
          receipts: chain.receipts.length,
          root_hash: chain.root_hash,
          verified: problem === undefined,
          ...(problem === undefined ? {} : { problem }),
        })),
      },
      names: () => found.chains.map(({ chain }) => chain.chain_id),
      text: ({ width }) => [
        ...found.chains.flatMap(({ chain }) => [paint.strong(chain.chain_id), ...receiptLines(chain, width)]),
        ...(found.signature
          ? [
              found.signature.problem === undefined
                ? paint.good(`✓ signed by ${found.signature.did}`)
                : paint.bad(`✗ ${found.signature.problem}`),
            ]
          : []),
      ],
    });
    if (!ok) process.exitCode = 8;
  }
}
