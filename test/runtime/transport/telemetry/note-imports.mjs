import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Writes a line for every program and every OpenTelemetry module that it resolves, to the file that the query names.
const file = new URL(import.meta.url).searchParams.get('to');
appendFileSync(file, `program ${process.argv[2] ?? ''}\n`);
registerHooks({
  resolve: (specifier, context, next) => {
    // The client of Prometheus requires the API package for its exemplars, with or without telemetry.
    const own = !context.parentURL?.includes('/prom-client/');
    if (own && specifier.startsWith('@opentelemetry/'))
      appendFileSync(file, `${specifier} of ${process.argv[2] ?? ''}\n`);
    return next(specifier, context);
  },
});
