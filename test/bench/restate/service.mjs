import * as restate from '@restatedev/restate-sdk';

// Runs from the folder that holds the SDK: `node service.mjs PORT`.
const echo = restate.service({
  name: 'echo',
  handlers: {
    plain: async (_context, input) => ({ echoed: input }),
    step: async (context, input) => ({ echoed: await context.run('work', () => input) }),
  },
});
await restate.serve({ services: [echo], port: Number(process.argv[2]) });
