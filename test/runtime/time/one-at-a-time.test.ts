import { expect, test } from 'vitest';
import { oneAtATime } from '#runtime/time/one-at-a-time.js';

test('tasks run one after the other in the order of the calls, also behind one that fails', async () => {
  const alone = oneAtATime();
  const seen: string[] = [];
  const end = Promise.withResolvers<void>();
  const first = alone(async () => {
    seen.push('first begins');
    await end.promise;
    seen.push('first ends');
    throw new Error('first failed');
  });
  const second = alone(async () => {
    seen.push('second');
    return 2;
  });
  end.resolve();
  await expect(first).rejects.toThrow('first failed');
  expect(await second).toBe(2);
  expect(seen).toEqual(['first begins', 'first ends', 'second']);
});
