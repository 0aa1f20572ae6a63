/** Places the parameters of an API call in its URL, for pages and commands alike. */

/** Returns the path with its parameters filled in, and the parameters that have no place in the path. */
export function filledIn(path: string, parameters: object) {
  const rest: Record<string, unknown> = { ...parameters };
  const url = path.replace(/\{([a-z]+)\}/g, (_, name: string) => {
    const value = String(rest[name]);
    // With such a value in its path, the URL would be that of another call.
    if (['', '.', '..'].includes(value))
      throw new RangeError(`${JSON.stringify(value)} is not a valid ${name}.`);
    delete rest[name];
    return encodeURIComponent(value);
  });
  return { url, rest };
}

/** Missing values are omitted, and a list is repeated once per item. */
export function queryOf(parameters: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const item of [value].flat())
      if (item !== undefined && item !== null && item !== '') query.append(name, String(item));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
