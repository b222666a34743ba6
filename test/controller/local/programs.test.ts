import { expect, test } from 'vitest';
import { childEnvironment } from '#controller/local/process/programs.js';

const cacheOf = (env: NodeJS.ProcessEnv) => {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = childEnvironment(env, 'AIP_GATEWAY_', {}, '/data/cache');
  return { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE };
};

test('compiled code of a program is kept in the data folder, unless the environment names another one or turns it off', () => {
  expect(cacheOf({})).toEqual({ NODE_COMPILE_CACHE: '/data/cache/compile' });
  expect(cacheOf({ NODE_COMPILE_CACHE: '/mine' })).toEqual({ NODE_COMPILE_CACHE: '/mine' });
  expect(cacheOf({ NODE_DISABLE_COMPILE_CACHE: '1' })).toMatchObject({ NODE_DISABLE_COMPILE_CACHE: '1' });
});
