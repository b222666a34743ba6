import { openChild, schemaProcess } from '#runtime/registry/contracts/schema-process.js';

const { schema, ...check } = JSON.parse(process.argv[2] as string);
const checker = schemaProcess(() => {
  const child = openChild();
  console.log(child.pid);
  return child;
});
setInterval(() => undefined, 60_000);
await checker.run({ ...check, schema: () => schema });
