/**
 * The OpenAPI document in resolved form: every reference is replaced by what it refers to, and the `default` response of an
 * operation by a response for each status that it stands for.
 */

interface Answers {
  readonly default?: { readonly description: string };
}

interface Operation {
  readonly requestBody?: object;
  readonly responses: Answers;
}

export function withoutReferences<Document extends object>(document: Document): Document {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...beside } = value as Readonly<Record<string, unknown>>;
    if (typeof $ref !== 'string') {
      const whole = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
      return 'operationId' in whole ? withStatuses(whole as unknown as Operation) : whole;
    }
    const target = $ref
      .split('/')
      .slice(1)
      .reduce((at: unknown, key) => (at as Readonly<Record<string, unknown>> | undefined)?.[key], document);
    if (target === undefined) throw new Error(`${$ref} is not in the document`);
    return { ...(resolve(target) as object), ...beside };
  };
  return resolve(document) as Document;
}

/** The description of the default response has a line for each error code; the line begins with the status. */
function withStatuses(operation: Operation): Operation {
  const { default: usual, ...own } = operation.responses;
  const lines = [...(usual?.description.matchAll(/^- (\d{3}) `\w+`(, of a call with a body)?/gm) ?? [])];
  const statuses = lines.filter(
    ([, , ofBody]) => ofBody === undefined || operation.requestBody !== undefined,
  );
  const others = Object.fromEntries(statuses.map(([, status = '']) => [status, usual]));
  return { ...operation, responses: { ...others, ...own } };
}
