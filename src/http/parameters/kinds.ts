/** The kinds of parameters with one value: text, digits, integer, word, boolean, and those not offered yet. */
import Type, { type TSchema } from 'typebox';
import type { ErrorCode } from '../../foundation/errors.ts';
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import type { Sentence } from '../../foundation/sentences.ts';
import type { Charset } from '../../wire/percent-decoding.ts';
import { isTextAllowed, type LengthBounds, standardMaxLength } from './bounds.ts';
import { type Faults, jsonTypeOf } from './faults.ts';
import { declare, type Given, type Parameter, type ParameterOptions, type UrlValues } from './parameter.ts';
import { decodeText } from './url-values.ts';

interface TextOptions extends Omit<ParameterOptions<string>, 'get'> {
  /** One name (UTF-8), or alternatives of which a URL may use one, each with the charset of its percent escapes. */
  readonly get?: string | Readonly<Record<string, Charset>>;
  /** In characters. */
  readonly minLength?: number;
  /** 1,000 by default. */
  readonly maxLength?: number;
  /** The code for a text outside these bounds; `invalid_value` by default. */
  readonly codeOfLength?: ErrorCode;
}

type UrlForm = readonly [name: string, charset: Charset];

export function text<const Options extends TextOptions>(options: Options): Parameter<Given<Options, string>> {
  const { minLength, maxLength = standardMaxLength } = options;
  const bounds: LengthBounds = {
    min: minLength ?? 0,
    max: maxLength,
    code: options.codeOfLength ?? 'invalid_value',
  };
  const check = (value: string, field: string, faults: Faults) =>
    isTextAllowed(value, bounds, field, faults) ? value : undefined;
  const forms = urlForms(options.get);
  const schema = Type.String({ ...(minLength === undefined ? {} : { minLength }), maxLength });
  return declare<Options, string>(options, {
    schema,
    urlNames: forms.map(([name, charset]) => ({
      name,
      list: false,
      schema,
      ...(forms.length > 1 && charset === 'utf-8' ? { isMain: true } : {}),
      ...(forms.length === 1 ? {} : { note: charset === 'utf-8' ? 'In UTF-8.' : 'In ISO-8859-1.' }),
    })),
    fromJson(json, field, faults) {
      if (typeof json === 'string') return check(json, field, faults);
      faults.addWrongType(field, 'a string', json);
      return undefined;
    },
    fromUrl(values, faults) {
      const [given, other] = forms.filter(([name]) => !isEmpty(values, name));
      if (given === undefined) return undefined;
      const [name, charset] = given;
      if (other !== undefined) {
        faults.add(other[0], 'conflicting_parameters', { sentence: 'excludes_other', other: name });
        return undefined;
      }
      const value = decodeText(values.get(name) ?? '', name, charset, faults);
      return value === undefined ? undefined : check(value, name, faults);
    },
  });
}

function urlForms(get: TextOptions['get']): readonly UrlForm[] {
  if (get === undefined) return [];
  return typeof get === 'string' ? [[get, 'utf-8']] : Object.entries(get);
}

function isEmpty(values: UrlValues, name: string): boolean {
  return (values.get(name) ?? '') === '';
}

interface DigitsOptions extends ParameterOptions<string> {
  /** 19 by default. */
  readonly maxLength?: number;
}

/** A string of digits, which may also arrive as a JSON number. */
export function digits<const Options extends DigitsOptions>(
  options: Options,
): Parameter<Given<Options, string>> {
  const { maxLength = 19 } = options;
  const schema = Type.String({ pattern: `^[0-9]{1,${maxLength}}$`, maxLength });
  function fromText(value: string, field: string, faults: Faults): string | undefined {
    if (value.length <= maxLength && /^[0-9]+$/.test(value)) return value;
    faults.add(field, 'invalid_value', { sentence: 'digits_only', most: maxLength, given: quoted(value) });
    return undefined;
  }
  return single(options, schema, fromText, (json, field, faults) => {
    if (typeof json === 'string') return fromText(json, field, faults);
    if (typeof json === 'number') return fromText(String(json), field, faults);
    faults.addWrongType(field, 'a string of digits', json);
    return undefined;
  });
}

interface IntegerOptions extends ParameterOptions<number> {
  /** 0 by default. */
  readonly min?: number;
  readonly max?: number;
  /** A larger value counts as this value. */
  readonly cap?: number;
}

/** For an integer: far more than any bound needs, so that for a huge number the error states its range. */
const maxIntegerLength = 100;

/** An integer, as a JSON number or a string of digits. */
export function integer<const Options extends IntegerOptions>(
  options: Options,
): Parameter<Given<Options, number>> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, cap = Number.POSITIVE_INFINITY } = options;
  const said = (given: string | number): Sentence =>
    max === Number.MAX_SAFE_INTEGER
      ? { sentence: 'whole_number_least', least: min, given }
      : { sentence: 'whole_number_between', least: min, most: max, given };
  const number = Type.Integer({ minimum: min, ...(max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }) });
  const schema = Type.Union([number, Type.String({ pattern: '^[0-9]+$', maxLength: maxIntegerLength })]);

  function check(value: number, field: string, faults: Faults): number | undefined {
    const capped = Math.min(value, cap);
    if (Number.isSafeInteger(capped) && capped >= min && capped <= max) return capped + 0;
    // JSON may have a number that is infinite as a double, and an answer in JSON can't.
    faults.add(field, 'invalid_value', said(Number.isFinite(value) ? value : String(value)));
    return undefined;
  }
  function fromText(value: string, field: string, faults: Faults): number | undefined {
    if (value.length <= maxIntegerLength && /^-?[0-9]+$/.test(value))
      return check(Number(value), field, faults);
    faults.add(field, 'invalid_value', said(quoted(value)));
    return undefined;
  }
  function fromJson(json: unknown, field: string, faults: Faults): number | undefined {
    if (typeof json === 'number') return check(json, field, faults);
    if (typeof json === 'string') return fromText(json, field, faults);
    faults.add(field, 'invalid_type', said(jsonTypeOf(json)));
    return undefined;
  }
  return single(options, schema, fromText, fromJson, number);
}

/** One of several words. */
export function word<const Word extends string, const Options extends ParameterOptions<Word>>(
  words: readonly Word[],
  options: Options,
): Parameter<Given<Options, Word>> {
  const schema = Type.Unsafe<Word>({ type: 'string', enum: [...words] });
  function fromText(value: string, field: string, faults: Faults): Word | undefined {
    const found = words.find((one) => one === value);
    if (found === undefined)
      faults.add(field, 'invalid_value', {
        sentence: 'one_of_words',
        words: words.join(', '),
        given: quoted(value),
      });
    return found;
  }
  return single(options, schema, fromText, (json, field, faults) => {
    if (typeof json === 'string') return fromText(json, field, faults);
    faults.addWrongType(field, 'a string', json);
    return undefined;
  });
}

/** JSON true or false; in a URL one of the words of the API contract, in any letter case. */
export function boolean<const Options extends ParameterOptions<boolean>>(
  options: Options,
): Parameter<Given<Options, boolean>> {
  return single(options, Type.Boolean(), booleanFromText, (json, field, faults) => {
    if (typeof json === 'boolean') return json;
    faults.addWrongType(field, 'true or false', json);
    return undefined;
  });
}

function booleanFromText(word: string, field: string, faults: Faults): boolean | undefined {
  const value = parseBooleanWord(word);
  if (value.ok) return value.value;
  faults.addFault(field, value);
  return undefined;
}

type FromText<Value> = (text: string, field: string, faults: Faults) => Value | undefined;

/** A parameter with a single UTF-8 name in a URL. */
function single<const Options extends ParameterOptions<Value>, Value>(
  options: Options,
  schema: TSchema,
  fromText: FromText<Value>,
  fromJson: Parameter<Value>['fromJson'],
  urlSchema = schema,
): Parameter<Given<Options, Value>> {
  const { get } = options;
  return declare(options, {
    schema,
    urlNames: get === undefined ? [] : [{ name: get, list: false, schema: urlSchema }],
    fromJson,
    fromUrl(values, faults) {
      const raw = get === undefined ? undefined : values.get(get);
      if (get === undefined || raw === undefined || raw === '') return undefined;
      const text = decodeText(raw, get, 'utf-8', faults);
      return text === undefined ? undefined : fromText(text, get, faults);
    },
  });
}

interface UnavailableOptions {
  readonly description: string;
  readonly get?: string;
  readonly type: 'text' | 'boolean' | 'list' | 'objects';
}

export function notAvailable(options: UnavailableOptions): Parameter<undefined> {
  const schema = unavailableSchemas[options.type];
  const predicate = 'is not available in this version of the service. Leave it out; nothing was done.';
  return declare(
    {
      description: `${options.description} Not available in this version: a call that gives it is refused with 400 \`not_available\`.`,
    },
    {
      schema,
      isUnavailable: true,
      urlNames:
        options.get === undefined ? [] : [{ name: options.get, list: options.type === 'list', schema }],
      fromJson(json, field, faults) {
        const isNothing = json === false || (Array.isArray(json) && json.length === 0);
        if (!isNothing) faults.add(field, 'not_available', predicate);
        return undefined;
      },
      fromUrl(values, faults) {
        const raw = options.get === undefined ? undefined : values.get(options.get);
        if (options.get === undefined || raw === undefined || raw === '') return undefined;
        if (options.type === 'boolean') {
          const word = decodeText(raw, options.get, 'utf-8', faults);
          if (word === undefined || booleanFromText(word, options.get, faults) !== true) return undefined;
        }
        faults.add(options.get, 'not_available', predicate);
        return undefined;
      },
    },
  );
}

const unavailableSchemas = {
  text: Type.String(),
  boolean: Type.Boolean(),
  list: Type.Array(Type.String()),
  objects: Type.Array(Type.Object({})),
} as const;

/** Parses the words for yes and no in a URL (API: Conventions, boolean GET values). */
export function parseBooleanWord(text: string): Result<boolean> {
  // Lower case is used because upper-casing would turn characters such as "ſ" into ASCII letters.
  switch (text.toLowerCase()) {
    case 't':
    case 'true':
    case 'y':
    case 'yes':
      return success(true);
    case 'f':
    case 'false':
    case 'n':
    case 'no':
      return success(false);
    default:
      return fault('invalid_value', { sentence: 'boolean_word', given: quoted(text) });
  }
}
