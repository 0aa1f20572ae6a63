/**
 * Declares an endpoint once: GET and POST decoding, validation, error sentences, the OpenAPI document and the docs page all
 * come from this table.
 */
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../../foundation/errors.ts';
import type { IfMatch } from '../../foundation/if-match.ts';
import type { Language } from '../../foundation/language.ts';
import type { SecurityEvent } from '../../foundation/security-log.ts';
import type { ErrorFields } from '../answers/error-response.ts';
import type { EventStream } from '../answers/event-stream.ts';
import type { SlicedAnswer } from '../answers/sliced-answer.ts';
import type { BodyBlocks } from '../body/body.ts';
import type { AcceptedCredentials } from '../credentials/credentials.ts';
import type { Input, Parameters } from '../parameters/parameter.ts';
import { type JsonObject, ParameterTable } from '../parameters/table.ts';

export type SecurityNote = Pick<SecurityEvent, 'event' | 'object'>;

/** `PATCH` changes the given fields of an object and leaves the rest. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What a handler may need to know about the call besides its caller and input. */
export interface Call {
  readonly requestId: string;
  /** The client's address, even behind a trusted proxy. */
  readonly address: string;
  /** The value of the header `Idempotency-Key` (API: /send). */
  readonly idempotencyKey: string | undefined;
  /** The versions on which the call may act; also undefined for endpoints that do not declare `takesVersion`. */
  readonly ifMatch: IfMatch;
  /** The bytes of a body that is a list of lines; empty for all other endpoints. */
  readonly lines: BodyBlocks;
  /** The body of another program's form; empty for all other endpoints. */
  readonly foreign: JsonObject;
  /** The language that the reader prefers (`Accept-Language`). Sentences with values need not ask: see `in-language.ts`. */
  readonly language: Language;
  /** The client's self-description (`User-Agent`). */
  readonly browser: string;
  /** The field's name as used by the call, for responses that mention it: `T[3]` for `to[3]` in a URL. */
  fieldAsGiven(field: string): string;
  /** Makes the client store a session token as its cookie, or forget it. */
  keepSession(token: string | undefined): void;
  /** Adds headers to the response. */
  addHeaders(headers: Readonly<Record<string, string>>): void;
  /** Releases the call's place until something outside this server has answered. Throws if no place is left afterwards. */
  whileWaiting<Result>(answer: Promise<Result>): Promise<Result>;
  /** Whether the response has been sent or the client has gone. */
  readonly isOver: boolean;
  /** Aborted when that happens. */
  readonly closed: AbortSignal;
}

/** Example calls, one for each method, that succeed for the company of a first start. */
export interface CallExample {
  /** By URL name, not yet encoded. */
  readonly url?: Readonly<Record<string, string | readonly string[]>>;
  readonly json?: Readonly<Record<string, unknown>>;
  /** The body of an endpoint that takes lines. */
  readonly lines?: string;
}

export interface EndpointDeclaration<
  Caller,
  P extends Parameters,
  Answer extends TSchema,
  Path extends string = string,
  Methods extends readonly Method[] = readonly Method[],
> {
  readonly path: Path;
  /** Another endpoint may take other methods of the same path. */
  readonly methods: Methods;
  /** The section of the documentation that lists the endpoint. */
  readonly group: string;
  /**
   * The operation's name in clients generated from the OpenAPI document: a verb and a noun (`createWebhook`). The document
   * derives its request and response names from it. Omitted only if the document omits the endpoint.
   */
  readonly operation?: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: P;
  /** Shown and prefilled on the pages at `/docs`. */
  readonly example?: CallExample;
  readonly credentials: AcceptedCredentials;
  /** The body of a 200 response. */
  readonly answer: TSchema & Answer;
  /**
   * Set if the call creates an object below its own path: the response field that names the object there. The response is
   * then 201, with the `Location` of the object.
   */
  readonly creates?: string;
  /** The path below which the object is created, if it is not the call's own. */
  readonly createsBelow?: `/api/v1/${string}`;
  /** The response is an object with a `version`, which is also its `ETag`. */
  readonly answersVersion?: boolean;
  /** Accepts the header `If-Match`, and responds `changed_meanwhile` if it names another version. */
  readonly takesVersion?: boolean;
  /** The response is a string: plain text for callers who prefer that to JSON. */
  readonly answersText?: boolean;
  /** The response is a CSV file (`csvInSlices`), not JSON. */
  readonly answersCsv?: boolean;
  /** The response is a page to read in a browser (`pageInSlices`). */
  readonly answersPage?: boolean;
  /** The response is a file of JSON lines (`linesInSlices`). */
  readonly answersLines?: boolean;
  /** Errors specific to the endpoint; those of every endpoint are implied. */
  readonly errors?: readonly ErrorCode[];
  /** A 401 response has no body (API: /listsavedjobs, /listaddressbooks). */
  readonly silent401?: boolean;
  /** Accepts the header `Idempotency-Key`. */
  readonly isIdempotent?: boolean;
  /** Fields that each error body of this endpoint has in addition to the usual ones. */
  readonly errorFields?: ErrorFields;
  /** The JSON Schema of each of these fields. */
  readonly errorFieldSchemas?: Readonly<Record<string, TSchema>>;
  /** The JSON Schemas of further error body fields that occur with certain codes only. */
  readonly errorSchemas?: { readonly [Code in ErrorCode]?: Readonly<Record<string, TSchema>> };
  /** A POST without parameters cannot succeed, although none of them is required by itself. */
  readonly needsBody?: boolean;
  /** 10 MiB by default; never more than the server's own limit. */
  readonly maxBodyBytes?: number;
  /**
   * With `lines`, the parameters of a POST are in its URL, and its body is passed to the handler unchanged. With `foreign`, the
   * body is a JSON object in the form of another program, which is passed to the handler as it is, so all parameters are in the
   * path. No such body is read before the caller is known, and none contains credentials.
   */
  readonly body?: 'json' | 'lines' | 'foreign';
  /** For JSON bodies too large to parse on this thread. Releases whatever it holds of them when `closed` is aborted. */
  readonly openBody?: (body: BodyBlocks, caller: Caller, closed: AbortSignal) => Promise<JsonObject>;
  /** What to report to the operator about an answered call; the rest of the log line is known. Undefined for nothing. */
  readonly concernsSecurity?: (input: Input<P>, answer: Static<Answer>) => SecurityNote | undefined;
  readonly handle: (
    caller: Caller,
    input: Input<P>,
    call: Call,
  ) => HandlerAnswer<Answer> | Promise<HandlerAnswer<Answer>>;
}

type HandlerAnswer<Answer extends TSchema> = Answered<Static<Answer>> | SlicedAnswer | EventStream;

/** A response as handlers may return it: optional fields may be undefined and are then omitted from the JSON. */
export type Answered<Value> = Value extends readonly (infer Item)[]
  ? readonly Answered<Item>[]
  : Value extends object
    ? { [Key in keyof Value]: Answered<Value[Key]> | (object extends Pick<Value, Key> ? undefined : never) }
    : Value;

/** An endpoint as the server sees it, whatever its parameters. */
export interface Endpoint<Caller>
  extends Omit<
    EndpointDeclaration<Caller, Parameters, TSchema>,
    'handle' | 'parameters' | 'concernsSecurity'
  > {
  readonly concernsSecurity?: (input: never, answer: never) => SecurityNote | undefined;
  readonly table: ParameterTable<Parameters>;
  readonly handle: (caller: Caller, input: never, call: Call) => unknown;
}

/** An endpoint whose type retains its path, parameters and response, from which a typed client is derived. */
export interface DeclaredEndpoint<
  Caller,
  Path extends string,
  Methods extends readonly Method[],
  P extends Parameters,
  Answer extends TSchema,
> extends Endpoint<Caller> {
  readonly path: Path;
  readonly methods: Methods;
  readonly table: ParameterTable<P>;
  readonly answer: TSchema & Answer;
}

/** Creates the function that declares endpoints for one type of caller; parameters and response are inferred. */
export function endpointsFor<Caller>() {
  return <
    const Path extends string,
    const Methods extends readonly Method[],
    const P extends Parameters,
    Answer extends TSchema,
  >(
    declaration: EndpointDeclaration<Caller, P, Answer, Path, Methods>,
  ): DeclaredEndpoint<Caller, Path, Methods, P, Answer> => {
    const { parameters, errors = [], ...rest } = declaration;
    const refusals = rest.takesVersion === true ? [...errors, 'changed_meanwhile' as const] : errors;
    return { ...rest, errors: refusals, table: new ParameterTable(parameters) };
  };
}
