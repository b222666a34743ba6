import { run, settings } from '@oclif/core';
import { reportError } from './report-error.js';

settings.enableAutoTranspile = false;

// A reader that goes away (`aip actions list | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

try {
  await run(process.argv.slice(2), import.meta.url);
} catch (error) {
  process.exitCode = reportError(error, process.argv.includes('--json'));
}
