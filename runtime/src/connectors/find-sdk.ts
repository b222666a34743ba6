import { registerHooks } from 'node:module';

/** The entries of this package that a connector module imports. */
const SDK = /^@aip\/runtime\/(sdk|testing)$/;
let found = false;

/** Lets modules of folders without this package import its SDK: one that is installed beside a module takes precedence. */
export function findSdk(): void {
  if (found) return;
  found = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      try {
        return next(specifier, context);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (!SDK.test(specifier) || code !== 'ERR_MODULE_NOT_FOUND') throw error;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}
