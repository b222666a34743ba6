/** Runs `work` for all items, at most `limit` at once; results in the items' order. The first failure is thrown when all that began have ended. */
export async function mapEach<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) {
      if (failures.length > 0) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
