/**
 * Determines which country a number belongs to, for every recipient. The calling code usually decides, otherwise the number's
 * series.
 */
import { createRequire } from 'node:module';

/** Whether a number, in digits as `cleanNumber` returns them, belongs to one of several countries. */
export type CountryRule = (digits: string) => boolean;

/** ISO 3166 codes, in two capital letters, of countries that have phone numbers. */
export function isCountry(code: string): boolean {
  return Object.values(plans().callingCodes).some((countries) => countries.includes(code));
}

/**
 * Several countries share the calling codes +1, +7, +39, +44, +47, +61, +212, +262, +290, +358, +590 and +599. Their numbers
 * belong to the country whose series they are in. Numbers in no country's series, such as satellite and other international
 * numbers, belong to none.
 */
export function countryRule(countries: ReadonlySet<string>): CountryRule {
  let rule = rulesMade.get(countries);
  if (rule === undefined) {
    rule = makeRule(countries);
    rulesMade.set(countries, rule);
  }
  return rule;
}

/** Rules are cached by list, because an account uses the same list for all of its requests. */
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
    // No calling code is a prefix of another.
    for (let length = 1; length <= 3; length += 1) {
      const rule = rules.get(digits.slice(0, length));
      if (rule !== undefined) return rule(digits);
    }
    return false;
  };
}

function isOneOf(countries: ReadonlySet<string>, sharing: readonly string[], national: string): boolean {
  const holds = (number: string) => sharing.find((country) => seriesOf(country)(number));
  // Many people write the 0 that is dialled within the country, even if it is not part of the number.
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
 * Distinguishes countries as the library does, but without parsing the number, which takes the library some 25 µs: by their
 * known leading digits, or otherwise by all of their series, here as one expression for each kind of number.
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

/** The parts used from the library's description of all numbering plans. */
interface Metadata {
  selectNumberingPlan(country: string): void;
  /** Usually there are none, and the value is 0. */
  leadingDigits(): unknown;
  nationalNumberPattern(): string;
  type(
    kind: string,
  ): { pattern(): string | undefined; possibleLengths(): readonly number[] | undefined } | undefined;
}

interface Plans {
  readonly metadata: Metadata;
  /** The countries of each calling code, starting with the country that has most of the code's numbers. */
  readonly callingCodes: Readonly<Record<string, readonly string[]>>;
}

let loaded: Plans | undefined;

/** Loaded on first use, because it takes some milliseconds and most companies may send to all countries. */
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
