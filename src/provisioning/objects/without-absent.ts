/** An object without its keys that have no value, as it is kept in a column of JSON. */
export function withoutAbsent<Item extends object>(
  item: Item,
): { readonly [Key in keyof Item]: Exclude<Item[Key], undefined> } {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Item]: Exclude<Item[Key], undefined>;
  };
}
