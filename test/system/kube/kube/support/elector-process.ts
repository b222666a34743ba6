import { openKube } from '#controller/kube/client/client.js';
import { electLeader } from '#controller/kube/run/leader.js';
import { openLogger } from '#runtime/transport/process/logger.js';

/** Takes part in an election as a process of its own, and tells its parent when leadership begins and ends. SIGTERM ends its part in order. */
const [kubeconfig = '', identity = ''] = process.argv.slice(2);
const kube = await openKube({ kubeconfig });
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const election = electLeader({
  kube,
  namespace: 'default',
  name: 'elected',
  identity,
  log: openLogger({ component: 'elector', level: 'silent' }),
  timing: { leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 250 },
  signal: stop.signal,
  onStart: (signal) => new Promise((done) => signal.addEventListener('abort', () => done(), { once: true })),
  onChange: (leading) => process.send?.({ leading }),
});
process.on('message', () => process.send?.({ isLeader: election.isLeader(), holder: election.holder() }));
await election.ended;
await kube.close();
process.disconnect();
