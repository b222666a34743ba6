/** The value without members named `secret`, at any depth: the provider repeats the signing secret of a webhook in its records. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'secret')
      .map(([name, member]) => [name, withoutSecrets(member)]),
  );
}
