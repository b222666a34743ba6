import {
  failStart,
  IMPORT_VARIABLE,
  importSecrets,
  openLogger,
  parseSecretImports,
} from '@aip/runtime/internal/program';

const USAGE = `aip-controller run             reconcile ConnectorInstances and serve their hosts' lifecycle in a cluster (AIP_CONTROLLER_*)
aip-controller control-plane   serve the signed lifecycle of connector hosts alone (AIP_CONNECTOR_CONTROL_*)
aip-controller --version       print the version
`;

const [named, ...args] = process.argv.slice(2);
const command = args.includes('--help') ? '--help' : named;
switch (command) {
  case 'run': {
    const imports = parseSecretImports(process.env[IMPORT_VARIABLE]);
    if (imports.length > 0) importSecrets(imports, openLogger({ component: 'aip-controller' }));
    const { runController } = await import('./cluster/process/run.js');
    await runController(process.env).catch((error) => failStart(error, 'aip_controller.failed'));
    break;
  }
  case 'control-plane': {
    const { runControlPlane } = await import('./control-plane/run.js');
    await runControlPlane(process.env).catch((error) => failStart(error, 'aip_connector_control_plane.failed'));
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
