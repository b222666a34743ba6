#!/usr/bin/env node
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    'aip-controller needs Node.js 24 or newer, this is ' +
      process.versions.node +
      '. Start it with npx or an npm script: they use the Node.js that npm ci installed.\n',
  );
  process.exit(2);
}
await import('../dist/main.js');
