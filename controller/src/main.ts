import {
  endAtOnceOnSignals,
  IMPORT_VARIABLE,
  importSecrets,
  openLogger,
  parseSecretImports,
  runProgram,
} from '@aip/runtime/internal/program';

const USAGE = `aip-controller run             reconcile ConnectorInstances and serve their hosts' lifecycle in a cluster (AIP_CONTROLLER_*)
aip-controller control-plane   serve the signed lifecycle of connector hosts alone (AIP_CONNECTOR_CONTROL_*)
aip-controller --version       print the version
`;

endAtOnceOnSignals();
const [named, ...args] = process.argv.slice(2);
const command = args.includes('--help') ? '--help' : named;
switch (command) {
  case 'run': {
    const imports = parseSecretImports(process.env[IMPORT_VARIABLE]);
    if (imports.length > 0) importSecrets(imports, openLogger({ component: 'aip-controller' }));
    const { CONTROLLER } = await import('./cluster/process/run.js');
    await runProgram(CONTROLLER, process.env);
    break;
  }
  case 'control-plane': {
    const { CONTROL_PLANE } = await import('./control-plane/run.js');
    await runProgram(CONTROL_PLANE, process.env);
    break;
  }
  case '--version': {
    const { default: manifest } = await import('../package.json', { with: { type: 'json' } });
    process.stdout.write(`${manifest.version}\n`);
    break;
  }
  case '--help':
  case 'help':
    process.stdout.write(USAGE);
    break;
  default:
    process.stderr.write(`${command === undefined ? 'Name a command' : `no such command: ${command}`}:\n${USAGE}`);
    process.exit(2);
}
