// Loaded into a controller before it starts: on SIGUSR2 it collects garbage and prints what is left, in bytes.
process.on('SIGUSR2', () => {
  globalThis.gc();
  process.stdout.write(`${JSON.stringify({ collected: process.memoryUsage().heapUsed })}\n`);
});
