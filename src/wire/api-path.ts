/** How the parameters of a call of the API stand in its URL; pages and commands call it alike. */

/** The path with its parameters in place, and those that have none there. */
export function filledIn(path: string, parameters: object) {
  const rest: Record<string, unknown> = { ...parameters };
  const url = path.replace(/\{([a-z]+)\}/g, (_, name: string) => {
    const value = String(rest[name]);
    // A URL with such a name is that of another call.
    if (['', '.', '..'].includes(value)) throw new RangeError(`${JSON.stringify(value)} is no ${name}.`);
    delete rest[name];
    return encodeURIComponent(value);
  });
  return { url, rest };
}

/** What is not given is left out; a list stands several times. */
export function queryOf(parameters: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const item of [value].flat())
      if (item !== undefined && item !== null && item !== '') query.append(name, String(item));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
