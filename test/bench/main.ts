import { actionsBench } from './actions.ts';
import { compareBench } from './compare.ts';
import { followersBench } from './followers.ts';
import { growthBench } from './growth.ts';
import { reconcileBench } from './reconcile.ts';
import { registryBench } from './registry.ts';
import { webhookBench } from './webhook.ts';
import { witnessBench } from './witness.ts';

/** `npm run bench [actions | compare | followers | growth | registry | reconcile | webhook | witness]`: prints figures, asserts nothing. */
const benches: Record<string, () => Promise<void>> = {
  actions: actionsBench,
  compare: compareBench,
  followers: followersBench,
  registry: registryBench,
  growth: growthBench,
  reconcile: reconcileBench,
  webhook: webhookBench,
  witness: witnessBench,
};
const name = process.argv[2] ?? 'actions';
const bench = benches[name];
if (!bench) {
  process.stderr.write(`There is no bench named ${name}; there are: ${Object.keys(benches).join(', ')}\n`);
  process.exit(2);
}
await bench();
