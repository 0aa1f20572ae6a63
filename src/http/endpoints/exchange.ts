/**
 * One call of an endpoint under way, from its first byte to its answer. It is the hot path: there is a promise only
 * where a step makes one.
 *
 *   receive ──▶ identify ──▶ read ──▶ serve ──▶ answer
 *      └───────────┴──────────┴─────────┴──▶ fail
 *
 * The caller is checked before a byte of the body is read. If neither headers nor URL name a caller, a JSON body is
 * read to find one, and nothing else in a large body is read then. A body that is a list of lines is read last, when
 * the parameters are right.
 */

import type { Logger } from 'pino';
import { ServiceError } from '../../foundation/errors.ts';
import { entityTag, type IfMatch, parseIfMatch } from '../../foundation/if-match.ts';
import type { TaskOwner, Turns } from '../../foundation/turns.ts';
import type { Admission } from '../admission.ts';
import { respondWithError, textInJson, textInUrl } from '../answers/error-response.ts';
import { EventStream, respondWithEvents } from '../answers/event-stream.ts';
import { languageOf, replacerFor } from '../answers/in-language.ts';
import { jsonHeaders, prefersText, respond, textHeaders } from '../answers/respond.ts';
import { respondInSlices, SlicedAnswer } from '../answers/sliced-answer.ts';
import { Body, BodyBlocks } from '../body/body.ts';
import { parseJsonObject } from '../body/json-body.ts';
import { parseLargeObject } from '../body/json-skim.ts';
import { type BodyCollector, blocksOf, JsonBytes, readBody } from '../body/read-body.ts';
import { markClientKnown } from '../connections/http-connections.ts';
import {
  type AcceptedCredentials,
  type Authenticate,
  type AuthenticatePage,
  credentialFields,
  type FoundCredentials,
  findCredentialsBesideBody,
  isOfPage,
  type LoginOrigin,
} from '../credentials/credentials.ts';
import type { CredentialPicker } from '../credentials/picker.ts';
import { type CookieName, sessionTokenOf } from '../credentials/session-cookie.ts';
import { faultOfPageCall, type SiteServices } from '../gate/cross-site.ts';
import { wideNetworkOf } from '../origin.ts';
import { Faults } from '../parameters/faults.ts';
import type { UrlNames, UrlValues } from '../parameters/parameter.ts';
import {
  fieldInUrl,
  type JsonObject,
  type KnownNames,
  namesBesideJson,
  namesInJson,
  namesInUrl,
  withFieldsInUrl,
} from '../parameters/table.ts';
import { decodeText, noValues, readQuery } from '../parameters/url-values.ts';
import { pathOf, type RequestContext, takesBody } from '../request-context.ts';
import { hasEnded, signalOfEnd } from '../when-ended.ts';
import { EndpointCall } from './call.ts';
import type { Call, Endpoint } from './endpoint.ts';

/** What all endpoints of a server share and their calls need. */
export interface EndpointServices<Caller> {
  readonly authenticate: Authenticate<Caller>;
  /** Undefined if there is no portal; cookies are then ignored. */
  readonly authenticatePage: AuthenticatePage<Caller> | undefined;
  /** For an endpoint, what throws for callers whose credentials allow less than their account may do. */
  readonly permit?: Permits<Caller> | undefined;
  /** The cookie that holds the session of these callers. */
  readonly cookie: CookieName;
  /** Distinguishes our own pages from others. */
  readonly site: SiteServices;
  readonly admission: Admission;
  readonly log: Logger;
  readonly picker: CredentialPicker;
  /** The turns in which large bodies are parsed, so that none of them blocks others. */
  readonly turns: Turns;
  /** The owner of a caller's turns. */
  readonly ownerOf: (caller: Caller) => TaskOwner;
  /** No endpoint accepts more, whatever it declares. */
  readonly maxBodyBytes: number;
}

type Permit<Caller> = (caller: Caller, address: string) => void;
export type Permits<Caller> = (endpoint: Endpoint<Caller>) => Permit<Caller> | undefined;

/** Several times what an endpoint without long lists can need. */
const standardMaxBodyBytes = 1_048_576;
/** Re-authenticate after this long: the account may have been closed. */
const identifiedMs = 200;

const gatherJson = (declaredBytes: number | undefined) => new JsonBytes(declaredBytes);
const gatherBlocks = (declaredBytes: number | undefined) => new BodyBlocks(declaredBytes);

const noNames: ReadonlySet<string> = new Set();

/** Names in a URL that belong to no endpoint's table. */
const credentialNames: UrlNames = new Map(
  ['U', 'P', 'key'].map((name) => [name, { name, list: false }] as const),
);

/** Answers the calls of one endpoint; its callers may be of any kind. */
export interface AnsweringServer {
  readonly endpoint: Endpoint<never>;
  /** `pathValues` are the path parameters, encoded as in a query. */
  answer(context: RequestContext, pathValues?: UrlValues): void;
}

export function serversOf<Caller>(
  endpoints: readonly Endpoint<Caller>[],
  services: EndpointServices<Caller>,
): readonly AnsweringServer[] {
  return endpoints.map((endpoint) => new EndpointServer(endpoint, services));
}

/** Answers calls to one endpoint; holds what is computed once rather than for every call. */
class EndpointServer<Caller> implements AnsweringServer {
  readonly endpoint: Endpoint<Caller>;
  readonly services: EndpointServices<Caller>;
  readonly maxBodyBytes: number;
  readonly urlNames: UrlNames;
  readonly namesInUrl: KnownNames;
  readonly namesInJson: KnownNames;
  readonly namesBesideJson: KnownNames;
  /** Whether every unknown name is refused; on the contract's paths, only names that resemble a known name are. */
  readonly refusesUnknown: boolean;
  /** Whether only pages call it. */
  readonly isOfPages: boolean;
  readonly takesSession: boolean;
  readonly credentials: AcceptedCredentials;
  readonly permit: Permit<Caller> | undefined;

  constructor(endpoint: Endpoint<Caller>, services: EndpointServices<Caller>) {
    this.endpoint = endpoint;
    this.services = services;
    this.maxBodyBytes = Math.min(endpoint.maxBodyBytes ?? standardMaxBodyBytes, services.maxBodyBytes);
    this.urlNames = new Map([...endpoint.table.urlNames, ...credentialNames]);
    this.namesInUrl = namesInUrl(endpoint.table, credentialNames.keys());
    this.namesInJson = namesInJson(endpoint.table, [...credentialFields, 'token']);
    this.namesBesideJson = namesBesideJson(endpoint.table);
    this.refusesUnknown = endpoint.path.startsWith('/api/v1/');
    this.isOfPages = endpoint.path.startsWith('/portal/') || endpoint.credentials.session === true;
    const isManagement = endpoint.path.startsWith('/api/v1/');
    const { session = isManagement, apiKey } = endpoint.credentials;
    this.credentials = { ...endpoint.credentials, bearer: isManagement && apiKey };
    this.permit = services.permit?.(endpoint);
    this.takesSession = session && services.authenticatePage !== undefined;
  }

  sessionTokenOf({ request, origin }: RequestContext): string | undefined {
    const { cookie } = this.services;
    return this.takesSession ? sessionTokenOf(request.headers, cookie, origin.isHttps) : undefined;
  }

  answer(context: RequestContext, pathValues = noValues): void {
    new Exchange(this, context, pathValues).receive();
  }
}

class Exchange<Caller> implements LoginOrigin {
  readonly #server: EndpointServer<Caller>;
  readonly #context: RequestContext;
  readonly #pathValues: UrlValues;
  readonly #faults: Faults;
  #unknownInUrl: ReadonlySet<string> = noNames;
  #body: JsonObject | undefined;
  /** The body, parsed before its sender is known. */
  #json: JsonObject | undefined;
  #url: UrlValues = noValues;
  #found: FoundCredentials | undefined;
  #caller: Caller | undefined;
  #identifiedAtMs = 0;

  constructor(server: EndpointServer<Caller>, context: RequestContext, pathValues: UrlValues) {
    this.#server = server;
    this.#context = context;
    this.#pathValues = pathValues;
    this.#faults = new Faults(server.refusesUnknown);
  }

  /** Whether the call's parameters are in the body rather than the URL. */
  get #hasJson(): boolean {
    return takesBody(this.#context.request.method) && this.#server.endpoint.body !== 'lines';
  }

  /** Whether a page makes the call: a browser would otherwise ask for user name and password in a dialog of its own. */
  get #isOfPage(): boolean {
    const { headers } = this.#context.request;
    const { isOfPages, takesSession } = this.#server;
    return isOfPages || (headers['sec-fetch-site'] !== undefined && takesSession);
  }

  get address(): string {
    return this.#context.origin.address;
  }

  /** Called for the password check: callers that need none must not wait for its place. */
  beginWaiting(): void {
    this.#server.services.admission.beginWaiting(this.#context.response);
  }

  get isGone(): boolean {
    return hasEnded(this.#context.request, this.#context.response);
  }

  receive(): void {
    const { services } = this.#server;
    const refusal = services.admission.take(this.#context.response) ?? faultOfTransport(this.#context);
    if (refusal !== undefined) this.#fail(refusal);
    else this.#proceed(this.#identify, undefined);
  }

  /** Runs before any parameter is examined, so that a stranger learns nothing about them. */
  #identify(): void {
    const { method = '', url = '', headers } = this.#context.request;
    const { endpoint, urlNames, credentials } = this.#server;
    const names = this.#hasJson ? credentialNames : urlNames;
    // Most calls have no query, and need no set.
    if (url.includes('?')) {
      const unknown = new Set<string>();
      this.#url = readQuery(url, names, this.#faults, unknown);
      this.#unknownInUrl = unknown;
    }
    this.#found = findCredentialsBesideBody({ method, headers, url: this.#url }, credentials);
    const token = this.#server.sessionTokenOf(this.#context);
    if (token !== undefined)
      this.#found.page = {
        kind: 'session',
        token,
        shownTo: headers['x-portal-user']?.toString(),
        toEnrol: endpoint.credentials.toEnrol,
      };
    if (!this.#hasJson) this.#authenticate(this.#serve);
    else if (endpoint.body !== 'foreign' && this.#found.credentials === undefined)
      this.#readBody(gatherJson, this.#pick);
    else this.#authenticate(this.#readJson);
  }

  #authenticate(next: () => void): void {
    const { services, endpoint, isOfPages, permit } = this.#server;
    const credentials = (this.#found as FoundCredentials).only();
    if (isOfPages || isOfPage(credentials)) {
      const fault = faultOfPageCall(
        this.#context,
        services.site,
        endpoint.body === 'lines' ? 'lines' : 'json',
      );
      if (fault !== undefined) throw fault;
    }
    const identified = (caller: Caller) => {
      services.admission.takeAgain(this.#context.response);
      permit?.(caller, this.address);
      this.#caller = caller;
      this.#identifiedAtMs = performance.now();
      markClientKnown(this.#context.request.socket, services.ownerOf(caller));
      next.call(this);
    };
    if (!isOfPage(credentials)) this.#proceed(identified, services.authenticate(credentials, this));
    else if (services.authenticatePage !== undefined)
      this.#proceed(identified, services.authenticatePage(credentials, this));
  }

  #readJson(): void {
    this.#readBody(gatherJson, this.#parse);
  }

  #readBody<Bytes>(
    gather: (declaredBytes: number | undefined) => BodyCollector<Bytes>,
    next: (body: Bytes) => void,
  ): void {
    const { services, maxBodyBytes } = this.#server;
    const { admission } = services;
    const read = (received: Bytes | ServiceError) => {
      if (received instanceof ServiceError) throw received;
      admission.takeAgain(this.#context.response);
      this.#proceed(next, received);
    };
    readBody(
      this.#context.request,
      this.#context.response,
      { limitBytes: maxBodyBytes, admission, isUnauthenticated: this.#caller === undefined },
      gather,
      (received) => this.#proceed(read, received),
    );
  }

  /** Credentials can only be in the body. */
  #pick(bytes: Buffer | BodyBlocks): void {
    const { endpoint, services } = this.#server;
    if (bytes instanceof BodyBlocks) {
      this.#proceed(
        ({ fields, body }) => {
          this.#found?.addBody(fields);
          this.#authenticate(() => {
            services.admission.bodies.identify(this.#context.response);
            this.#proceed(this.#prepare, this.#open(body));
          });
        },
        services.picker.pick(
          bytes,
          wideNetworkOf(this.address),
          signalOfEnd(this.#context.request, this.#context.response),
        ),
      );
      return;
    }
    const json = parseJsonObject(bytes);
    this.#json = json;
    this.#found?.addBody(json);
    this.#authenticate(() =>
      this.#proceed(this.#prepare, endpoint.openBody === undefined ? json : this.#open(bytes)),
    );
  }

  /** The caller was identified outside the body, which may not name another. */
  #parse(bytes: Buffer | BodyBlocks): void {
    const parsed = (json: JsonObject) => {
      this.#json = json;
      const before = this.#found?.credentials;
      if (this.#server.endpoint.body !== 'foreign') this.#found?.addBody(json);
      // Credentials in the body take precedence over the browser's session.
      if (this.#found?.credentials === before) this.#prepare(json);
      else this.#authenticate(() => this.#prepare(json));
    };
    this.#proceed(parsed, this.#open(bytes));
  }

  #open(bytes: Buffer | BodyBlocks): JsonObject | Promise<JsonObject> {
    const { endpoint, services } = this.#server;
    const { openBody } = endpoint;
    const caller = this.#caller as Caller;
    const { request, response } = this.#context;
    if (openBody !== undefined) {
      const blocks = bytes instanceof BodyBlocks ? bytes : blocksOf([bytes], bytes.length);
      return openBody(blocks, caller, signalOfEnd(request, response));
    }
    if (!(bytes instanceof BodyBlocks)) return parseJsonObject(bytes);
    const parsing = parseLargeObject(new Body(bytes.blocks, bytes.length));
    return services.turns.run(services.ownerOf(caller), parsing, () => !hasEnded(request, response));
  }

  #prepare(body: JsonObject): void {
    this.#body = body;
    this.#whileKnown(this.#serve);
  }

  /** The sender may lose access while a body arrives slowly. */
  #whileKnown(next: () => void): void {
    if (performance.now() - this.#identifiedAtMs > identifiedMs) this.#authenticate(next);
    else next.call(this);
  }

  /** A key may be revoked or expire while its answer is read, which can take hours; rejects then. */
  async #stillKnown(): Promise<void> {
    const credentials = this.#found?.credentials;
    if (credentials?.kind !== 'key' || performance.now() - this.#identifiedAtMs < identifiedMs) return;
    const { services, permit } = this.#server;
    const caller = await services.authenticate(credentials, this);
    permit?.(caller, this.address);
    this.#identifiedAtMs = performance.now();
  }

  #serve(): void {
    const { endpoint } = this.#server;
    this.#checkNames();
    const input =
      this.#body === undefined
        ? endpoint.table.fromUrl(this.#withPath(this.#url), this.#faults)
        : endpoint.table.fromJson(this.#withFieldsInPath(this.#body), this.#faults);
    const idempotencyKey = endpoint.isIdempotent === true ? this.#idempotencyKey() : undefined;
    const ifMatch = this.#ifMatch();
    this.#faults.throwIfAny();
    const { admission, cookie } = this.#server.services;
    const call = new EndpointCall(this.#context, admission, { cookie, idempotencyKey, ifMatch }, (field) =>
      this.#hasJson ? field : fieldInUrl(field, endpoint.table, this.#url, this.#faults),
    );
    if (endpoint.body === 'foreign' && this.#body !== undefined) call.foreign = this.#body;
    if (endpoint.body !== 'lines') this.#handle(input, call);
    else {
      this.#readBody(gatherBlocks, (lines) => {
        call.lines = lines;
        this.#whileKnown(() => this.#handle(input, call));
      });
    }
  }

  #checkNames(): void {
    const { endpoint, namesInUrl, namesInJson, namesBesideJson } = this.#server;
    if (this.#body !== undefined && endpoint.body !== 'foreign')
      namesInJson.check(Object.keys(this.#body), this.#faults);
    if (this.#unknownInUrl.size > 0)
      (this.#hasJson ? namesBesideJson : namesInUrl).check(this.#unknownInUrl, this.#faults);
  }

  /** Path parameters may appear only in the path. */
  #withPath(url: UrlValues): UrlValues {
    return this.#pathValues.size === 0 ? url : new Map([...url, ...this.#pathValues]);
  }

  #withFieldsInPath(body: JsonObject): JsonObject {
    if (this.#pathValues.size === 0) return body;
    const fields: Record<string, unknown> = { ...body };
    for (const [name, value] of this.#pathValues)
      fields[name] = decodeText(value, name, 'utf-8', this.#faults);
    return fields;
  }

  #handle(input: object, call: Call): void {
    const caller = this.#caller as Caller;
    // The endpoint's own function created its table and accepts what that table yields.
    this.#proceed(this.#answer, this.#server.endpoint.handle(caller, input as never, call));
  }

  #answer(answer: unknown): void {
    const { endpoint, services } = this.#server;
    if (answer instanceof SlicedAnswer) {
      respondInSlices(this.#context, answer, services.log, () => this.#stillKnown());
    } else if (answer instanceof EventStream) {
      // The call does not take a place from those that wait for a response.
      services.admission.beginWaiting(this.#context.response);
      respondWithEvents(this.#context, answer);
    } else if (endpoint.answersText === true && prefersText(this.#context.request.headers.accept)) {
      respond(this.#context, 200, textHeaders, String(answer));
    } else if (endpoint.creates !== undefined || endpoint.answersVersion === true) {
      this.#answerWithHeaders(answer);
    } else {
      respond(this.#context, 200, jsonHeaders, this.#written(answer));
    }
  }

  #answerWithHeaders(answer: unknown): void {
    const { creates, answersVersion } = this.#server.endpoint;
    const headers = [...jsonHeaders];
    if (answersVersion === true)
      headers.push('etag', entityTag((answer as { readonly version: string }).version));
    if (creates !== undefined) headers.push('location', this.#below(answer, creates));
    respond(this.#context, creates === undefined ? 200 : 201, headers, this.#written(answer));
  }

  #written(answer: unknown): string {
    return JSON.stringify(answer, replacerFor(languageOf(this.#context.request)));
  }

  /** The location of the created object; the path of the call may include a prefix of the server. */
  #below(answer: unknown, field: string): string {
    const { createsBelow } = this.#server.endpoint;
    const own = pathOf(this.#context.request);
    const path = createsBelow === undefined ? own : `${own.slice(0, own.indexOf('/api/v1/'))}${createsBelow}`;
    const key = String((answer as Readonly<Record<string, unknown>>)[field]);
    return `${path}/${encodeURIComponent(key)}`;
  }

  #fail(thrown: unknown): void {
    const { endpoint, services, credentials } = this.#server;
    const reported =
      thrown instanceof ServiceError && thrown.errors.length > 0 && !this.#hasJson
        ? withFieldsInUrl(thrown, endpoint.table, this.#url, this.#faults)
        : thrown;
    const asked = (parameter: string) =>
      this.#hasJson
        ? textInJson(this.#body ?? this.#json, parameter)
        : textInUrl(this.#context.request.url ?? '', parameter, endpoint.table);
    respondWithError(this.#context, reported, services.log, {
      ...endpoint,
      asked,
      isOfPage: this.#isOfPage,
      takesBearer: credentials.bearer,
    });
  }

  /** Runs the next step with a value that is available or promised; any error becomes the response. */
  #proceed<Value>(step: (value: Value) => void, value: Value | Promise<Value>): void {
    if (value instanceof Promise) {
      value.then(
        (settled) => {
          // Otherwise no client would read the result.
          if (!hasEnded(this.#context.request, this.#context.response)) this.#proceed(step, settled);
        },
        (error) => this.#fail(error),
      );
      return;
    }
    try {
      step.call(this, value);
    } catch (error) {
      this.#fail(error);
    }
  }

  #idempotencyKey(): string | undefined {
    const key = this.#context.request.headers['idempotency-key'];
    if (key === undefined) return undefined;
    if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
    this.#faults.add('Idempotency-Key', 'invalid_value', { sentence: 'idempotency_key', most: 255 });
    return undefined;
  }

  #ifMatch(): IfMatch {
    const { method, headers } = this.#context.request;
    const { endpoint, refusesUnknown } = this.#server;
    const header = headers['if-match'];
    if (header === undefined) return undefined;
    if (endpoint.takesVersion !== true) {
      if (refusesUnknown && method !== 'GET')
        this.#faults.add('If-Match', 'unknown_parameter', { sentence: 'if_match_unwanted' });
      return undefined;
    }
    const parsed = parseIfMatch(header);
    if (parsed.ok) return parsed.value;
    this.#faults.add('If-Match', parsed.code, parsed.error, parsed.values);
    return undefined;
  }
}

/** Why a call may not be read at all: its credentials travel unencrypted, or its body has an unsupported form. */
function faultOfTransport({ request, origin }: RequestContext): ServiceError | undefined {
  if (!origin.isSafe) {
    return new ServiceError(
      'https_required',
      'Credentials are accepted only over HTTPS. A proxy that terminates TLS must be listed in CARILLON_TRUSTED_PROXIES and send X-Forwarded-Proto.',
    );
  }
  const type = request.headers['content-type'];
  if (takesBody(request.method) && type !== undefined && /^multipart\//i.test(type)) {
    return new ServiceError(
      'multipart_not_supported',
      'Multipart bodies are not supported. Send the parameters as one JSON object.',
    );
  }
  const coding = request.headers['content-encoding'];
  if (takesBody(request.method) && coding !== undefined && !isUncoded(coding)) {
    return new ServiceError(
      'content_encoding_not_supported',
      'Compressed bodies are not supported. Send the body as it is, without `Content-Encoding`.',
      { headers: { 'accept-encoding': 'identity' } },
    );
  }
  return undefined;
}

function isUncoded(contentEncoding: string): boolean {
  return contentEncoding.split(',').every((coding) => /^(?:identity)?$/i.test(coding.trim()));
}
