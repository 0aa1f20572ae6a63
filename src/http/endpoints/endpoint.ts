/**
 * Declares an endpoint once: from this table come the decoding of GET and POST, validation, error sentences, the
 * OpenAPI document and the docs page.
 */
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../../foundation/errors.ts';
import type { IfMatch } from '../../foundation/if-match.ts';
import type { SecurityEvent } from '../../foundation/security-log.ts';
import type { ErrorFields } from '../answers/error-response.ts';
import type { EventStream } from '../answers/event-stream.ts';
import type { SlicedAnswer } from '../answers/sliced-answer.ts';
import type { BodyBlocks } from '../body/body.ts';
import type { AcceptedCredentials } from '../credentials/credentials.ts';
import type { Input, Parameters } from '../parameters/parameter.ts';
import { type JsonObject, ParameterTable } from '../parameters/table.ts';

export type SecurityNote = Pick<SecurityEvent, 'event' | 'object'>;

/** `PATCH` changes what is given of an object, and leaves the rest. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What a handler may need to know of the call beyond its caller and input. */
export interface Call {
  readonly requestId: string;
  /** Of the client, also behind a trusted proxy. */
  readonly address: string;
  /** Of the header `Idempotency-Key` (API: /send). */
  readonly idempotencyKey: string | undefined;
  /** The versions that the call may act on; undefined, too, for endpoints that do not declare `takesVersion`. */
  readonly ifMatch: IfMatch;
  /** The bytes of a body that is a list of lines; none for all other endpoints. */
  readonly lines: BodyBlocks;
  /** What the client says it is (`User-Agent`). */
  readonly browser: string;
  /** The name under which the call gives a field, for what an answer says of it: `T[3]` of `to[3]` in a URL. */
  fieldAsGiven(field: string): string;
  /** Has the client keep the token of a session as its cookie, or forget it. */
  keepSession(token: string | undefined): void;
  /** Gives its place to others until something outside of this server has answered. Throws where no place is left then. */
  whileWaiting<Result>(answer: Promise<Result>): Promise<Result>;
  /** The answer has gone out, or the client has. */
  readonly isOver: boolean;
  /** Is aborted then. */
  readonly closed: AbortSignal;
}

/** Calls that succeed for the company of a first start, one for each method. */
export interface CallExample {
  /** By the names in a URL, not encoded yet. */
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
  /** The part of the documentation that it stands in. */
  readonly group: string;
  /**
   * The operation as clients that are generated from the OpenAPI document call it: a verb and a noun (`createWebhook`). The
   * document's names of its request and its answer are made from it. Left out only where the document leaves it out.
   */
  readonly operation?: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: P;
  /** What the page at `/docs` fills in. */
  readonly example?: CallExample;
  readonly credentials: AcceptedCredentials;
  /** Body of the answer 200. */
  readonly answer: TSchema & Answer;
  /**
   * Makes an object below its own path: the field of the answer that names it there. The call is then answered by 201, with
   * the `Location` of the object.
   */
  readonly creates?: string;
  /** The path that the object is below, where that is not the call's own. */
  readonly createsBelow?: `/api/v1/${string}`;
  /** The answer is an object with a `version`, which is its `ETag` as well. */
  readonly answersVersion?: boolean;
  /** Takes the header `If-Match`, and is refused by `changed_meanwhile` where it names another version. */
  readonly takesVersion?: boolean;
  /** The answer is a string: plain text for callers who prefer that to JSON. */
  readonly answersText?: boolean;
  /** The answer is a CSV file (`csvInSlices`), not JSON. */
  readonly answersCsv?: boolean;
  /** The answer is a file of JSON lines (`linesInSlices`). */
  readonly answersLines?: boolean;
  /** Faults of the endpoint's own; those of every endpoint are known. */
  readonly errors?: readonly ErrorCode[];
  /** 401 has no body (API: /listsavedjobs, /listaddressbooks). */
  readonly silent401?: boolean;
  /** Takes the header `Idempotency-Key`. */
  readonly isIdempotent?: boolean;
  /** Fields that each error body of this endpoint has besides the usual ones. */
  readonly errorFields?: ErrorFields;
  /** The JSON Schema of each of these fields. */
  readonly errorFieldSchemas?: Readonly<Record<string, TSchema>>;
  /** Of what an error body holds besides in the case of some codes only. */
  readonly errorSchemas?: { readonly [Code in ErrorCode]?: Readonly<Record<string, TSchema>> };
  /** A POST without parameters can't succeed, though none of them is required by itself. */
  readonly needsBody?: boolean;
  /** 10 MiB unless told; never more than the server's own limit. */
  readonly maxBodyBytes?: number;
  /**
   * With `lines`, the parameters of a POST stand in its URL, and its body is given to the handler as it is. Nobody's
   * body is read before it is known who asks.
   */
  readonly body?: 'json' | 'lines';
  /** For JSON bodies that are too large to be parsed in this thread. What it holds of them it lets go when `closed`. */
  readonly openBody?: (body: BodyBlocks, caller: Caller, closed: AbortSignal) => Promise<JsonObject>;
  /** What the operator is to hear of a call that was answered; the rest of the line is known. Undefined: nothing. */
  readonly concernsSecurity?: (input: Input<P>, answer: Static<Answer>) => SecurityNote | undefined;
  readonly handle: (
    caller: Caller,
    input: Input<P>,
    call: Call,
  ) => HandlerAnswer<Answer> | Promise<HandlerAnswer<Answer>>;
}

type HandlerAnswer<Answer extends TSchema> = Answered<Static<Answer>> | SlicedAnswer | EventStream;

/** An answer as handlers may give it: what is optional may be undefined, and is left out of the JSON. */
export type Answered<Value> = Value extends readonly (infer Item)[]
  ? readonly Answered<Item>[]
  : Value extends object
    ? { [Key in keyof Value]: Answered<Value[Key]> | (object extends Pick<Value, Key> ? undefined : never) }
    : Value;

/** An endpoint as the server sees it, whatever its parameters are. */
export interface Endpoint<Caller>
  extends Omit<
    EndpointDeclaration<Caller, Parameters, TSchema>,
    'handle' | 'parameters' | 'concernsSecurity'
  > {
  readonly concernsSecurity?: (input: never, answer: never) => SecurityNote | undefined;
  readonly table: ParameterTable<Parameters>;
  readonly handle: (caller: Caller, input: never, call: Call) => unknown;
}

/** An endpoint whose type still tells its path, its parameters and its answer: what a typed client is made from. */
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

/** Makes the function that declares endpoints for one type of caller; parameters and answer are inferred. */
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
