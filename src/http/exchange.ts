/**
 * One call of an endpoint under way, from its first byte to its answer. It is the hot path: there is a promise only
 * where a step makes one.
 *
 *   receive ──▶ read ──▶ identify ──▶ serve ──▶ answer
 *      └─────────┴──────────┴───────────┴──▶ fail
 *
 * A body that is a list of lines has no part in identifying: it is read after that, when its parameters are right. Nor
 * is a large body read for strangers whose headers or URL name somebody: those credentials are tried before it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ServiceError } from '../foundation/errors.ts';
import type { Admission } from './admission.ts';
import { BodyBlocks } from './body-blocks.ts';
import { type Authenticate, findCredentials, findCredentialsBesideBody } from './credentials.ts';
import type { Call, Endpoint } from './endpoint.ts';
import { respondWithError } from './error-response.ts';
import { Faults } from './faults.ts';
import { faultOfTransport } from './gate.ts';
import { parseJsonObject } from './json-body.ts';
import type { UrlValues } from './parameter.ts';
import type { JsonObject } from './parameter-table.ts';
import { type Gathering, readBody, WholeBody } from './read-body.ts';
import { jsonHeaders, prefersText, respond, textHeaders } from './respond.ts';
import { respondInSlices, SlicedJson } from './sliced-json.ts';
import { readQuery } from './url-values.ts';
import { whenEnded } from './when-ended.ts';

export interface EndpointServices<Caller> {
  readonly authenticate: Authenticate<Caller>;
  readonly admission: Admission;
  readonly log: Logger;
  /** No endpoint takes more, whatever it declares. */
  readonly maxBodyBytes: number;
}

const standardMaxBodyBytes = 10 * 1024 * 1024;
const noLines = new BodyBlocks(0);

const gatherWhole = () => new WholeBody();
const gatherBlocks = (declaredBytes: number | undefined) => new BodyBlocks(declaredBytes);

/** Names in a URL that belong to no endpoint's table; none is a list. */
const credentialNames: ReadonlyMap<string, boolean> = new Map([
  ['U', false],
  ['P', false],
  ['key', false],
]);

/** Answers calls of one endpoint; holds what is worked out once rather than at every call. */
export class EndpointServer<Caller> {
  readonly endpoint: Endpoint<Caller>;
  readonly services: EndpointServices<Caller>;
  readonly maxBodyBytes: number;
  readonly urlNames: ReadonlyMap<string, boolean>;
  /** Its JSON bodies may be large: who sends one is found out before, as far as headers and URL tell. */
  readonly takesLargeJson: boolean;

  constructor(endpoint: Endpoint<Caller>, services: EndpointServices<Caller>) {
    this.endpoint = endpoint;
    this.services = services;
    this.maxBodyBytes = Math.min(endpoint.maxBodyBytes ?? standardMaxBodyBytes, services.maxBodyBytes);
    this.takesLargeJson =
      endpoint.body !== 'lines' &&
      (endpoint.openBody !== undefined || (endpoint.maxBodyBytes ?? 0) > standardMaxBodyBytes);
    this.urlNames = new Map([...credentialNames, ...endpoint.table.urlNames]);
  }

  answer(request: FastifyRequest, reply: FastifyReply): void {
    request.endpointPath = this.endpoint.path;
    new Exchange(this, request, reply).receive();
  }
}

class Exchange<Caller> {
  readonly #server: EndpointServer<Caller>;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #faults = new Faults();
  #body: JsonObject | undefined;
  #url: UrlValues | undefined;
  #isIdentified = false;

  constructor(server: EndpointServer<Caller>, request: FastifyRequest, reply: FastifyReply) {
    this.#server = server;
    this.#request = request;
    this.#reply = reply;
  }

  receive(): void {
    const { raw } = this.#request;
    const { endpoint, services, takesLargeJson } = this.#server;
    const refusal = services.admission.take(this.#reply.raw) ?? faultOfTransport(this.#request);
    if (refusal !== undefined) this.#fail(refusal);
    else if (raw.method !== 'POST' || endpoint.body === 'lines') this.#proceed(this.#identify, undefined);
    else if (takesLargeJson) this.#proceed(this.#identifyBeforeBody, undefined);
    else this.#readBody(gatherWhole, this.#parse);
  }

  /** When the body is read, all is judged again: there may be credentials in it too, and who asks may be shut out by then. */
  #identifyBeforeBody(): void {
    const { method = '', url = '', headers } = this.#request.raw;
    const { endpoint, services } = this.#server;
    // Faults of the URL are found once more after the body, and told then.
    const urlValues = readQuery(url, credentialNames, new Faults());
    const credentials = findCredentialsBesideBody({ method, headers, url: urlValues }, endpoint.credentials);
    if (credentials === undefined) this.#readJson();
    else
      this.#proceed<Caller>(
        () => {
          this.#isIdentified = true;
          this.#readJson();
        },
        services.authenticate(credentials, this.#request.origin),
      );
  }

  #readJson(): void {
    if (this.#server.endpoint.openBody === undefined) this.#readBody(gatherWhole, this.#parse);
    else this.#readBody(gatherBlocks, this.#open);
  }

  #readBody<Body>(
    gather: (declaredBytes: number | undefined) => Gathering<Body>,
    next: (body: Body) => void,
  ): void {
    const { services, maxBodyBytes } = this.#server;
    const { admission } = services;
    const read = (received: Body | ServiceError) => {
      if (received instanceof ServiceError) throw received;
      const overload = admission.takeReceived(this.#reply.raw);
      if (overload !== undefined) throw overload;
      this.#proceed(next, received);
    };
    readBody(
      this.#request.raw,
      this.#reply.raw,
      { limitBytes: maxBodyBytes, admission, isOfStranger: !this.#isIdentified },
      gather,
      (received) => this.#proceed(read, received),
    );
  }

  #parse(bytes: Buffer): void {
    this.#proceed(this.#identify, parseJsonObject(bytes));
  }

  #open(blocks: BodyBlocks): void {
    this.#proceed(
      this.#identify,
      this.#server.endpoint.openBody?.(blocks, signalOfEnd(this.#request.raw, this.#reply.raw)),
    );
  }

  /** Before any parameter is looked at: a stranger learns nothing about them. */
  #identify(body: JsonObject | undefined): void {
    const { raw } = this.#request;
    const { method = '', url = '', headers } = raw;
    const { endpoint, services, urlNames } = this.#server;
    const urlValues = readQuery(url, body === undefined ? urlNames : credentialNames, this.#faults);
    const credentials = findCredentials({ method, headers, url: urlValues, body }, endpoint.credentials);
    this.#body = body;
    this.#url = urlValues;
    this.#proceed(this.#serve, services.authenticate(credentials, this.#request.origin));
  }

  #serve(caller: Caller): void {
    const { endpoint, services, takesLargeJson } = this.#server;
    if (takesLargeJson && !this.#isIdentified) services.admission.bodies.identify(this.#reply.raw);
    this.#isIdentified = true;
    const input =
      this.#body === undefined
        ? endpoint.table.fromUrl(this.#url ?? new Map(), this.#faults)
        : endpoint.table.fromJson(this.#body, this.#faults);
    const idempotencyKey = endpoint.isIdempotent === true ? this.#idempotencyKey() : undefined;
    this.#faults.throwIfAny();
    const call = new EndpointCall(this.#request, this.#reply, idempotencyKey);
    if (endpoint.body !== 'lines') this.#handle(caller, input, call);
    else {
      this.#readBody(gatherBlocks, (lines) => {
        call.lines = lines;
        this.#handle(caller, input, call);
      });
    }
  }

  #handle(caller: Caller, input: object, call: Call): void {
    // The endpoint's own function made its table and takes what that table gives.
    this.#proceed(this.#answer, this.#server.endpoint.handle(caller, input as never, call));
  }

  #answer(answer: unknown): void {
    const { endpoint, services } = this.#server;
    if (answer instanceof SlicedJson) {
      respondInSlices(this.#reply, answer, services.log);
    } else if (endpoint.answersText === true && prefersText(this.#request.raw.headers.accept)) {
      respond(this.#reply, 200, textHeaders, String(answer));
    } else {
      respond(this.#reply, 200, jsonHeaders, JSON.stringify(answer));
    }
  }

  #fail(thrown: unknown): void {
    const { endpoint, services } = this.#server;
    respondWithError(this.#reply, thrown, services.log, endpoint);
  }

  /** Takes the next step with a value that is at hand or promised; whatever goes wrong is the answer. */
  #proceed<Value>(step: (value: Value) => void, value: Value | Promise<Value>): void {
    if (value instanceof Promise) {
      value.then(
        (settled) => this.#proceed(step, settled),
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
    const key = this.#request.raw.headers['idempotency-key'];
    if (key === undefined) return undefined;
    if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
    this.#faults.add('Idempotency-Key', 'invalid_value', 'must be 1 to 255 printable ASCII characters.');
    return undefined;
  }
}

class EndpointCall implements Call {
  readonly requestId: string;
  readonly address: string;
  readonly idempotencyKey: string | undefined;
  lines = noLines;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(
    { id, origin, raw: request }: FastifyRequest,
    { raw }: FastifyReply,
    idempotencyKey: string | undefined,
  ) {
    this.requestId = id;
    this.address = origin.address;
    this.idempotencyKey = idempotencyKey;
    this.#request = request;
    this.#response = raw;
  }

  /** Made only for those who ask: on the hot path nobody does. */
  get closed(): AbortSignal {
    return signalOfEnd(this.#request, this.#response);
  }
}

function signalOfEnd(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  whenEnded(request, response, () => controller.abort());
  return controller.signal;
}
