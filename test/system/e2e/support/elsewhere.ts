/** Blocks of the guides that guides.test.ts does not run, by words of theirs, with the reason. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'export REGISTRY=': 'the name of the reader’s registry; here it is the one of the machine',
  'CREATE ROLE fleet': 'run by databases.test.ts',
  'create secret generic aip-fleet-database': 'its address is used by databases.test.ts',
  'urlSecret: { name: fleet-db-app': 'values used by databases.test.ts',
  'kind load docker-image': 'needs kind',
  'docker buildx imagetools': 'commands of docker alone; here docker is buildah',
  'cosign verify': 'needs a published release',
  'kind: ScaledObject': 'needs KEDA and Prometheus',
  'fleet prune --disable-logins': 'run by test/cli/fleet/prune.test.ts; a trial’s database goes with the release',
  'kubectl drain NODE': 'run for the hosts by life.test.ts; there is one node, which runs this all',
  'npm run cluster': 'how this suite and test/kube run',
  AIP_E2E_KUBECONFIG: 'runs this suite on another cluster',
};
