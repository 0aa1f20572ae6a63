/** Which country a number belongs to, asked for every recipient: the calling code mostly tells, and else its series. */
import { createRequire } from 'node:module';

/** Whether a number, digits as `cleanNumber` gives them, belongs to one of some countries. */
export type CountryRule = (digits: string) => boolean;

/** ISO 3166 codes of two capital letters, of those that have phone numbers. */
export function isCountry(code: string): boolean {
  return Object.values(plans().callingCodes).some((countries) => countries.includes(code));
}

/**
 * Several countries share the calling codes +1, +7, +39, +44, +47, +61, +212, +262, +290, +358, +590 and +599: their
 * numbers belong to the country in whose series they are. What is in no country's, as satellite and other international
 * numbers, belongs to none.
 */
export function countryRule(countries: ReadonlySet<string>): CountryRule {
  let rule = rulesMade.get(countries);
  if (rule === undefined) {
    rule = makeRule(countries);
    rulesMade.set(countries, rule);
  }
  return rule;
}

/** An account has the same list for all of its requests. */
const rulesMade = new WeakMap<ReadonlySet<string>, CountryRule>();

function makeRule(countries: ReadonlySet<string>): CountryRule {
  const rules = new Map<string, CountryRule>();
  for (const [code, sharing] of Object.entries(plans().callingCodes)) {
    const own = sharing.filter((country) => countries.has(country));
    if (own.length === sharing.length) rules.set(code, () => true);
    else if (own.length > 0)
      rules.set(code, (digits) => isOneOf(countries, sharing, digits.slice(code.length)));
  }
  return (digits) => {
    // No calling code begins like another.
    for (let length = 1; length <= 3; length += 1) {
      const rule = rules.get(digits.slice(0, length));
      if (rule !== undefined) return rule(digits);
    }
    return false;
  };
}

function isOneOf(countries: ReadonlySet<string>, sharing: readonly string[], national: string): boolean {
  const holds = (number: string) => sharing.find((country) => seriesOf(country)(number));
  // Where it is no digit of the number, many write the 0 that is dialled within the country.
  const country = holds(national) ?? (national.startsWith('0') ? holds(national.slice(1)) : undefined);
  return country !== undefined && countries.has(country);
}

/** Whether a national number is in a series of the country. */
type Series = (national: string) => boolean;

const series = new Map<string, Series>();

function seriesOf(country: string): Series {
  let own = series.get(country);
  if (own === undefined) {
    own = makeSeries(country);
    series.set(country, own);
  }
  return own;
}

const kinds = [
  'FIXED_LINE',
  'MOBILE',
  'PREMIUM_RATE',
  'TOLL_FREE',
  'SHARED_COST',
  'VOIP',
  'PERSONAL_NUMBER',
  'PAGER',
  'UAN',
  'VOICEMAIL',
];

/**
 * As the library tells countries apart when it parses a number, which takes some 25 µs: by what it knows of their first
 * digits, or else by all of their series, here in an expression for each length that numbers have.
 */
function makeSeries(country: string): Series {
  const { metadata } = plans();
  metadata.selectNumberingPlan(country);
  const first = metadata.leadingDigits();
  if (typeof first === 'string') return matching(`^(?:${first})`);
  const valid = matching(`^(?:${metadata.nationalNumberPattern()})$`);
  const series = kinds.flatMap((kind) => {
    const type = metadata.type(kind);
    const pattern = type?.pattern() ?? '';
    if (type === undefined || pattern === '') return [];
    return { lengths: type.possibleLengths(), matches: matching(`^(?:${pattern})$`) };
  });
  return (national) =>
    valid(national) &&
    series.some(({ lengths, matches }) => (lengths?.includes(national.length) ?? true) && matches(national));
}

function matching(pattern: string): Series {
  const expression = new RegExp(pattern);
  return (national) => expression.test(national);
}

/** What is used of the library's description of all numbering plans. */
interface Metadata {
  selectNumberingPlan(country: string): void;
  /** Mostly there are none: 0. */
  leadingDigits(): unknown;
  nationalNumberPattern(): string;
  type(
    kind: string,
  ): { pattern(): string | undefined; possibleLengths(): readonly number[] | undefined } | undefined;
}

interface Plans {
  readonly metadata: Metadata;
  /** The countries of each, that which has most of its numbers first. */
  readonly callingCodes: Readonly<Record<string, readonly string[]>>;
}

let loaded: Plans | undefined;

/** They take some milliseconds to load, and most companies may send to all countries. */
function plans(): Plans {
  if (loaded === undefined) {
    const load = createRequire(import.meta.url);
    const all = load('libphonenumber-js/metadata.max.json') as {
      readonly country_calling_codes: Plans['callingCodes'];
    };
    const { Metadata } = load('libphonenumber-js/core') as {
      readonly Metadata: new (all: object) => Metadata;
    };
    loaded = { metadata: new Metadata(all), callingCodes: all.country_calling_codes };
  }
  return loaded;
}
