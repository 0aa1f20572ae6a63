/** Generates values that a caller could send, from correct to malicious, by the schema of their parameter. */
import fc, { type Arbitrary } from 'fast-check';
import type { JsonSchema } from './api-description.ts';

/** These marks appear in message texts and wrong passwords; neither may be repeated in an error or written to the log. */
export const textMark = 'Zebrafinch';
export const secretMark = 'Kookaburra';

/** A placeholder for JSON that `JSON.stringify` would not write; `writeJson` inserts the real text. */
const raw = (json: string) => `@raw:${json}@`;

/** Placeholders, replaced on writing, for lists and nesting that would make a counterexample unreadable. */
const manyItems = (count: number) => `@list:${count}@`;

const nesting = (depth: number) => `@deep:${depth}@`;

export function writeJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(/"@(raw|list|deep):([^"@]*)@"/g, (_, kind, argument) => {
    if (kind === 'raw') return argument;
    if (kind === 'deep') return `${'[{"a":'.repeat(Number(argument))}1${'}]'.repeat(Number(argument))}`;
    return `[${listOf(Number(argument), '"', '"')}]`;
  });
}

export function listOf(count: number, before = '', after = ''): string {
  return Array.from({ length: count }, (_, index) => `${before}${46_730_000_000 + index}${after}`).join(',');
}

export const oneOf = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);

const strange = oneOf(
  ...['', ' ', '\0', `a\0${textMark}`, '\ud800', 'x\udfff', '\ud83d\ude00', '\ufeff', '\u202e', '\u2028'],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '%',
    '%00',
    '%zz',
    '%u0041',
    '+',
    ',',
    ';',
    '&',
  ],
  ...["' OR 1=1 --", '"', '\\', '{{7*7}}', '$' + '{7*7}', '<script>', '../../../x', '\r\nX-Injected: 1\r\n'],
  ...['T', 'yes', 'FALSE', 'null', 'undefined', '[object Object]', '0', '-1', '1e9', '0x1F', '１２３', 'NaN'],
);

const long = oneOf(160, 161, 1_000, 1_001, 39_015, 39_016, 60_000).map((length) => 'x'.repeat(length));

export const anyText: Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: oneOf('Hello', `${textMark} sings`, `${textMark} €`, `${textMark} 😀 åäö`) },
  { weight: 4, arbitrary: strange },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
);

export const number = fc.integer({ min: 0, max: 99_999 }).map((serial) => `467${30_000_000 + serial}`);
const anyNumber: Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: number },
  {
    weight: 1,
    arbitrary: oneOf('+46 (73) 123-45.67', '0046731234567', '0731234567', '123', '', '+', '467312345x'),
  },
  { weight: 1, arbitrary: strange },
);

const sender = oneOf(
  'NordicCare',
  '46731230001',
  'A',
  'ab cd',
  'TwelveLetters',
  '1'.repeat(16),
  '',
  'Bad\0',
  'Blåbär',
);
const time = oneOf(
  ...['2036-01-01T00:00:00Z', '2020-01-01T00:00Z', '9999-12-31T23:59:59Z', '2026-02-30T00:00:00Z', 'now'],
  ...['2027-01-31T08:00:00+01:00', '2027-01-31T08:00:00+99:99', '2027-01-31', '-000001-01-01T00:00:00Z', '0'],
  new Date(Date.now() + 30_000).toISOString(),
);
const id = fc.oneof(
  fc.integer({ min: 1, max: 100_000 }).map(String),
  oneOf('0', '9007199254740991', '9007199254740993', '9'.repeat(400), '-1', '1.0', '', 'abc', '\0'),
);

/** The target's users may list mail senders below `.example`. */
const email = oneOf(
  ...[
    'a@care.example',
    'A@CARE.example',
    '@care.example',
    '"a b"@care.example',
    'b@bücher.example',
    'c@Ｃare.example',
  ],
  ...[
    'a@care.test',
    'a@b@care.example',
    '@',
    '@.',
    'a@care.example.',
    'a@[::1]',
    'a@1.2.3.4',
    '\u0430@care.example',
  ],
);
const payer = oneOf('alice', 'bob', 'erik', 'carol', '1', '0', '9'.repeat(30), '', 'a\0');

/** Plausible values for parameters with these names; other parameters get any text. */
export const textsByName: Record<string, Arbitrary<string>> = {
  to: anyNumber,
  from: fc.oneof({ weight: 3, arbitrary: fc.constant('NordicCare') }, sender),
  F: sender,
  scheduletime: time,
  AT: time,
  id,
  validminutes: oneOf('1440', '1', '10080', '10081', '0', '-1', '1.5', '1e3', '', ' 5'),
  defaultcountrycode: oneOf('46', '1', '0', '9999', '99999', '+46', ''),
};
textsByName.scheduleTime = time;
textsByName.validMinutes = textsByName.validminutes as Arbitrary<string>;
textsByName.defaultCountryCode = textsByName.defaultcountrycode as Arbitrary<string>;
textsByName.payingUser = payer;
textsByName.email = email;
textsByName.EM = email;
textsByName.payinguser = payer;
textsByName.PU = payer;
textsByName.SD = sender;
textsByName.maxSms = oneOf('1', '255', '256', '0', '-1', '1.5', '');
textsByName.MS = textsByName.maxSms;
textsByName.DC = textsByName.defaultcountrycode as Arbitrary<string>;
textsByName.D = textsByName.defaultcountrycode as Arbitrary<string>;
textsByName.V = textsByName.validminutes as Arbitrary<string>;
textsByName.T = anyNumber;
textsByName.TS = anyNumber;
textsByName.I = id;

function textFor(name: string): Arbitrary<string> {
  const fitting = textsByName[name] ?? anyText;
  return fc.oneof(
    { weight: 20, arbitrary: fitting },
    { weight: 1, arbitrary: anyText },
    { weight: 1, arbitrary: long },
  );
}

const numbers = oneOf<unknown>(
  ...[
    0,
    -0,
    1,
    -1,
    5,
    99,
    100,
    1440,
    10_000,
    10_001,
    10_080,
    10_081,
    0.5,
    2 ** 31,
    2 ** 53,
    2 ** 53 - 1,
    1e21,
    1e308,
  ],
  ...['1e999', '-1e999', '-0', '1e-999', '9'.repeat(400), '0.1e1', '1E+2'].map(raw),
);

const wrongSyntax = oneOf(
  '01',
  '0x10',
  '.5',
  '1.',
  '+1',
  'NaN',
  'Infinity',
  'undefined',
  "'x'",
  '"\\x"',
  '"\n"',
  '',
).map(raw);

const nested = fc.oneof(
  {
    weight: 6,
    arbitrary: oneOf<unknown>([], {}, [[]], [{}], { a: { b: [] } }, [null], [[['x']]], { to: 1 }),
  },
  { weight: 1, arbitrary: oneOf(10, 1_000, 100_000).map(nesting) },
);

/** Values that have the wrong type for any field. */
const wrong: Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oneOf<unknown>(null, true, false, '', 'x') },
  { weight: 4, arbitrary: numbers },
  { weight: 4, arbitrary: nested },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 1, arbitrary: wrongSyntax },
);

const key = fc.oneof(
  oneOf('to', 'subst', 'name', 'a', '{Text:a}', 'Hello', textMark),
  oneOf('__proto__', 'constructor', 'prototype', 'toString', '', '\0', '\ud800', 'x'.repeat(2_000)),
);

/** A value for a field of a JSON body, mostly of the right type. */
export function jsonFor(name: string, schema: JsonSchema): Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fitting(name, schema) }, { weight: 1, arbitrary: wrong });
}

function fitting(name: string, schema: JsonSchema): Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => fitting(name, one)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.oneof(
        numbers,
        fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 300, 300) }),
      );
    case 'array':
      return fc.oneof(
        { weight: 100, arbitrary: fc.array(jsonFor(name, schema.items ?? {}), { maxLength: 4 }) },
        { weight: 1, arbitrary: oneOf(100, 1_000).map(manyItems) },
      );
    case 'object':
      return schema.properties === undefined ? dictionary(fc.constant('x')) : object(schema);
    default:
      return textFor(name);
  }
}

function dictionary(otherwise: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc
    .array(
      fc.tuple(key, fc.oneof({ weight: 9, arbitrary: anyText }, { weight: 1, arbitrary: wrong }, otherwise)),
      {
        maxLength: 4,
      },
    )
    .map(ownEntries);
}

/** Treats `__proto__` as an ordinary entry. */
export function ownEntries(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const result: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of entries) {
    Object.defineProperty(result, name, { value, enumerable: true, writable: true, configurable: true });
  }
  return result;
}

/** An object with some of its fields, sometimes an unknown one, and mostly with the fields that the call requires. */
export function object(schema: JsonSchema): Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return fc.constant({});
  const field = fc.oneof(
    ...fields.map(([name, fieldSchema]) => ({
      weight: isOffered(fieldSchema) && !credentialFields.includes(name) ? 30 : 1,
      arbitrary: fc.tuple(fc.constant(name), jsonFor(name, fieldSchema)),
    })),
  );
  const unknownField = fc.tuple(key, wrong);
  const some = fc.oneof({ weight: 15, arbitrary: field }, { weight: 1, arbitrary: unknownField });
  return fc
    .tuple(essentials(schema), fc.array(some, { maxLength: 4 }))
    .map(([first, others]) => ownEntries([...first, ...others]));
}

/** Valid credentials are added elsewhere; here they would mostly amount to a second method, which is refused. */
const credentialFields = ['username', 'password', 'apikey'];

/** A field that is not offered gets `not_available` whatever else is sent. */
export function isOffered({ description = '' }: JsonSchema): boolean {
  return !description.includes('Not available in this version');
}

const hello: readonly (readonly [string, string])[] = [['message', `${textMark} sings`]];

/** A valid number and text, if the call sends a message. */
function essentials({ properties = {} }: JsonSchema): Arbitrary<readonly (readonly [string, unknown])[]> {
  if (properties.message === undefined) return fc.constant([]);
  const isList = properties.to?.type === 'array';
  const right = number.map((to): readonly (readonly [string, unknown])[] => [
    ['to', isList ? [to] : to],
    ...hello,
  ]);
  return fc.oneof({ weight: 4, arbitrary: right }, { weight: 1, arbitrary: fc.constant([]) });
}
