import { actionsBench } from './actions.ts';
import { cliBench } from './cli.ts';
import { compareBench } from './compare.ts';
import { reconcileBench } from './controller/reconcile.ts';
import { deliveriesBench } from './deliveries.ts';
import { devBench } from './dev.ts';
import { followersBench } from './followers.ts';
import { gatewaysBench } from './gateways.ts';
import { growthBench } from './growth.ts';
import { idleBench } from './idle.ts';
import { outageBench } from './outage.ts';
import { registryBench } from './registry/registry.ts';
import { retentionBench } from './retention.ts';
import { walBench } from './wal.ts';
import { witnessBench } from './witness.ts';

/** `npm run bench [actions | cli | compare | deliveries | dev | followers | gateways | growth | idle | outage | registry | reconcile | retention | wal | witness]`: prints figures, asserts nothing. */
const benches: Record<string, () => Promise<void>> = {
  actions: actionsBench,
  cli: cliBench,
  compare: compareBench,
  deliveries: deliveriesBench,
  dev: devBench,
  followers: followersBench,
  registry: registryBench,
  gateways: gatewaysBench,
  growth: growthBench,
  idle: idleBench,
  outage: outageBench,
  reconcile: reconcileBench,
  retention: retentionBench,
  wal: walBench,
  witness: witnessBench,
};
const name = process.argv[2] ?? 'actions';
const bench = benches[name];
if (!bench) {
  process.stderr.write(`There is no bench named ${name}; there are: ${Object.keys(benches).join(', ')}\n`);
  process.exit(2);
}
// A reader that goes away (`| head`) must not leave the fleet of a bench behind.
process.stdout.on('error', () => undefined);
await bench();
