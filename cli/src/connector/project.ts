/** A type name: what begins capability ids. */
export const TYPE_NAME = /^[a-z][a-z0-9-]{0,62}$/;

/** The package of the SDK. */
const PACKAGE = '@aip/runtime';

/** What a new connector project is made of. */
export interface ProjectOptions {
  /** The connector's type. */
  readonly type: string;
  /** Version of the SDK, and the packed file of it relative to the project. */
  readonly sdkVersion: string;
  readonly sdkFile: string;
  /** The packages of Node.js 24 by name, for those whose own is older. */
  readonly node: Readonly<Record<string, string>>;
}

/** The files of a new connector project by their path: they run, are tested and become an image as they are. */
export function projectFiles(options: ProjectOptions): Readonly<Record<string, string>> {
  return {
    'package.json': packageJson(options),
    'connector.ts': connector(options),
    'connector.test.ts': connectorTest(options),
    'instance.yaml': instance(options),
    Dockerfile: dockerfile(options),
    'README.md': readme(options),
    '.gitignore': 'node_modules/\n.aip/\n',
    '.dockerignore': 'node_modules\nvendor\n',
  };
}

function packageJson({ type, sdkFile, node }: ProjectOptions): string {
  const content = {
    name: type,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: {
      test: 'node --test',
      describe: `aip-runtime describe --module connector.ts --config '{"greeting":"Hi"}'`,
    },
    dependencies: { [PACKAGE]: `file:${sdkFile}` },
    optionalDependencies: node,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function connector({ type }: ProjectOptions): string {
  return `import {
  type CapabilityContext,
  ConnectorFailure,
  capability,
  defineConnector,
  type FromSchema,
  readOnly,
} from '${PACKAGE}/sdk';

const configSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { greeting: { type: 'string', minLength: 1 } },
} as const;
type Config = FromSchema<typeof configSchema>;

const greet = capability({
  id: 'cap:${type}:greet',
  description: 'Greets somebody by name.',
  risk: 'low',
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: { name: { type: 'string', minLength: 1 } },
  },
  output: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
  contract: readOnly(),
  run: ({ name }, ctx: CapabilityContext<Config>) => {
    if (name === 'nobody')
      throw new ConnectorFailure({ code: 'connector.${type}.nobody', message: 'there is nobody to greet' });
    return { text: \`\${ctx.config.greeting ?? 'Hello'}, \${name}!\` };
  },
});

export default defineConnector<Config>({
  type: '${type}',
  configSchema,
  capabilities: [greet],
});
`;
}

function connectorTest({ type }: ProjectOptions): string {
  return `import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestHost, type TestHost } from '${PACKAGE}/testing';
import connector from './connector.ts';

let host: TestHost;
before(async () => {
  host = await openTestHost(connector, { config: { greeting: 'Hi' } });
});
after(() => host.stop());

test('greets by name', async () => {
  const { result } = await host.run('cap:${type}:greet', { name: 'Ada' });
  assert.deepEqual(result.output, { text: 'Hi, Ada!' });
});

test('fails with a code of its own', async () => {
  const { result } = await host.run('cap:${type}:greet', { name: 'nobody' });
  assert.equal(result.error?.code, 'connector.${type}.nobody');
});
`;
}

function instance({ type }: ProjectOptions): string {
  return `apiVersion: fleet.aip.dev/v1alpha1
kind: ConnectorInstance
metadata:
  name: ${type}
  annotations:
    fleet.aip.dev/module: connector.ts
spec:
  connector: { type: ${type}, version: 0.1.0 }
  tenantId: demo
  replicas: 1
  config: { greeting: Good day }
`;
}

function dockerfile({ type, sdkVersion }: ProjectOptions): string {
  return `# docker build --build-arg AIP_RUNTIME=registry.example/aip/aip-runtime:${sdkVersion} --tag registry.example/${type}:0.1.0 .
ARG AIP_RUNTIME
FROM \${AIP_RUNTIME}
COPY connector.ts /app/connector.ts
ENV AIP_CONNECTOR_HOST_CONNECTOR_MODULE=/app/connector.ts
`;
}

function readme({ type, sdkFile }: ProjectOptions): string {
  return `# ${type}

A connector for an AIP fleet.

    npm install               # the SDK, and Node.js 24 for these commands
    npm test                  # runs the capability with the gate, checks and journal of a host
    npm run describe          # prints its manifest
    aip dev -f instance.yaml  # runs it in a fleet on this machine
    aip actions submit cap:${type}:greet --input '{"name":"Ada"}'

The SDK is in \`${sdkFile}\`. Commit it with the project.
`;
}
