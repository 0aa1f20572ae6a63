/** The OpenAPI document as it means: with every reference replaced by what it refers to. */

export function withoutReferences<Document extends object>(document: Document): Document {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...beside } = value as Readonly<Record<string, unknown>>;
    if (typeof $ref !== 'string')
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
    const target = $ref
      .split('/')
      .slice(1)
      .reduce((at: unknown, key) => (at as Readonly<Record<string, unknown>> | undefined)?.[key], document);
    if (target === undefined) throw new Error(`${$ref} is not in the document`);
    return { ...(resolve(target) as object), ...beside };
  };
  return resolve(document) as Document;
}
