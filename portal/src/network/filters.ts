/** The filters of the operators' lists, as they appear in the URL. */

export const uses = ['rented', 'pool', 'none'] as const;

export interface NumberFilters {
  /** First digits. */
  readonly number?: string;
  readonly use?: (typeof uses)[number];
  readonly company?: string;
}

type Search = Readonly<Record<string, unknown>>;

/** Takes texts of the search; those that are empty are absent. */
function textsOf<const Name extends string>(
  search: Search,
  names: readonly Name[],
): { [_ in Name]?: string } {
  const given = names.map((name) => [name, String(search[name] ?? '').slice(0, 200)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== '')) as { [_ in Name]?: string };
}

export function numberFilters(search: Search): NumberFilters {
  const { number = '', company } = textsOf(search, ['number', 'company']);
  const digits = number.replace(/\D/g, '').slice(0, 15);
  const use = uses.find((one) => one === search.use);
  return { ...(digits !== '' && { number: digits }), ...(company && { company }), ...(use && { use }) };
}

export const routeFilters = (search: Search) => textsOf(search, ['number', 'user', 'sender', 'carrier']);

export const receiptFilters = (search: Search) => textsOf(search, ['carrier']);
