/** What a handler can ask about the call it answers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IfMatch } from '../../foundation/if-match.ts';
import type { Language } from '../../foundation/language.ts';
import type { Admission } from '../admission.ts';
import { languageOf } from '../answers/in-language.ts';
import { BodyBlocks } from '../body/body.ts';
import { type CookieName, sessionCookie } from '../credentials/session-cookie.ts';
import type { JsonObject } from '../parameters/table.ts';
import type { RequestContext } from '../request-context.ts';
import { hasEnded, signalOfEnd } from '../when-ended.ts';
import type { Call } from './endpoint.ts';

const noLines = new BodyBlocks(0);
const noFields: JsonObject = Object.freeze({});

export class EndpointCall implements Call {
  readonly requestId: string;
  readonly address: string;
  readonly idempotencyKey: string | undefined;
  readonly ifMatch: IfMatch;
  readonly fieldAsGiven: (field: string) => string;
  lines = noLines;
  foreign: JsonObject = noFields;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  readonly #cookie: CookieName;
  readonly #isHttps: boolean;
  readonly #admission: Pick<Admission, 'beginWaiting' | 'takeAgain'>;

  constructor(
    { id, origin, request, response }: RequestContext,
    admission: Pick<Admission, 'beginWaiting' | 'takeAgain'>,
    {
      cookie,
      idempotencyKey,
      ifMatch,
    }: Pick<Call, 'idempotencyKey' | 'ifMatch'> & { readonly cookie: CookieName },
    fieldAsGiven: (field: string) => string,
  ) {
    this.#admission = admission;
    this.requestId = id;
    this.address = origin.address;
    this.#cookie = cookie;
    this.#isHttps = origin.isHttps;
    this.idempotencyKey = idempotencyKey;
    this.ifMatch = ifMatch;
    this.fieldAsGiven = fieldAsGiven;
    this.#request = request;
    this.#response = response;
  }

  get language(): Language {
    return languageOf(this.#request);
  }

  get browser(): string {
    return this.#request.headers['user-agent'] ?? '';
  }

  keepSession(token: string | undefined): void {
    this.#response.setHeader('set-cookie', sessionCookie(token, this.#cookie, this.#isHttps));
  }

  addHeaders(headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers)) this.#response.setHeader(name, value);
  }

  async whileWaiting<Result>(answer: Promise<Result>): Promise<Result> {
    this.#admission.beginWaiting(this.#response);
    try {
      return await answer;
    } finally {
      this.#admission.takeAgain(this.#response);
    }
  }

  get isOver(): boolean {
    return hasEnded(this.#request, this.#response);
  }

  /** Created on demand, since nothing on the hot path needs it. */
  get closed(): AbortSignal {
    return signalOfEnd(this.#request, this.#response);
  }
}
