/**
 * Plays a recorded conversation with a service through what its preset declares: the request made of a message, what the service's
 * answers mean, and what its calls report. A conversation is data; each preset has one.
 */
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { type FailureStatus, type OutgoingPart, refusalStatuses } from '../../src/carriers/carrier.ts';
import { verdictOf } from '../../src/carriers/http/answers.ts';
import { takeCall } from '../../src/carriers/http/callbacks.ts';
import { declarationOf } from '../../src/carriers/http/presets.ts';
import { prepareExpressions, Reading } from '../../src/carriers/http/reading.ts';
import { readReceipt } from '../../src/carriers/http/reports.ts';
import { fixedValues, messageValues, requestOf, submitRequest } from '../../src/carriers/http/request.ts';
import { type HttpSettings, httpSettings } from '../../src/carriers/http/settings.ts';
import { failingStatuses } from '../../src/wire/smpp/receipt.ts';
import { segment } from '../../src/wire/sms/segments.ts';

export interface Conversation {
  readonly settings: Readonly<Record<string, unknown>>;
  /** The time of the calls, where it matters to their signatures. */
  readonly now?: number;
  /** `sms` is what differs from the usual message. */
  readonly requests?: readonly {
    readonly sms?: Partial<OutgoingPart>;
    readonly request: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** JSON, or the fields of a form. */
    readonly body?: object;
  }[];
  /** Status and body of answers, and what they mean: `accepted ID PARTS`, `retry`, `rejected STATUS`. */
  readonly answers?: readonly (readonly [status: number, body: object | string, meaning: string])[];
  readonly calls?: readonly Call[];
  /** The request that asks about the usual message, and what answers tell. */
  readonly poll?: {
    readonly request: string;
    readonly answers: readonly (readonly [body: object, tells: string])[];
  };
}

export interface Call {
  readonly kind: 'receipts' | 'incoming';
  /** An object is sent as JSON. */
  readonly body?: object | string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly address?: string;
  readonly url?: string;
  /** `ID STATUS CODE RECIPIENT`, `FROM TO TEXT`, or why the call was refused. */
  readonly tells: readonly string[];
  /** The status and the body of our answer; 200 unless set. */
  readonly answer?: string;
}

const begin = Date.parse('2026-11-30T08:00:00Z');

const message: OutgoingPart = {
  companyId: 1001,
  messageId: 1000000042,
  part: 1,
  parts: 1,
  smsParts: 1,
  reference: 0,
  recipient: '46701740699',
  sender: 'NordicCare',
  text: 'Hej "{to}" & hå',
  encoding: 'gsm7',
  flash: false,
  expiresAt: begin + 600_000,
  doubts: 0,
};

/** Stands for the key of any message. */
export const key = '1000000042-key';

const address = 'https://sms.example/carriers/service/token';
const urls = { receiptUrl: `${address}/receipts`, incomingUrl: `${address}/incoming` };

/** Says that a form is sent. */
export const form = { 'content-type': 'application/x-www-form-urlencoded' };

export function play(preset: string, conversation: Conversation): void {
  const settings = Value.Default(httpSettings, { preset, ...conversation.settings }) as HttpSettings;
  const declaration = declarationOf(settings);
  const fixed = fixedValues(declaration, urls);

  const { requests, answers, calls, poll } = conversation;
  if (requests !== undefined)
    test(`[HTTPC-1] The preset ${preset} makes the requests that the service documents`, () => {
      for (const { sms = {}, ...expected } of requests) expect(requestFor(sms)).toEqual(expected);
    });
  if (answers !== undefined)
    test(`[HTTPC-1] [HTTPC-2] The preset ${preset} understands the answers that the service gives`, async () => {
      await prepareExpressions(declaration);
      const meanings = answers.map(([status, body]) => meaningOf(status, body));
      expect(meanings).toEqual(answers.map(([, , meaning]) => meaning));
    });
  if (calls !== undefined)
    test(`[HTTPC-1] [HTTPC-3] The preset ${preset} reads the calls that the service makes`, async () => {
      for (const call of calls) {
        const { told, answer } = await heard(call);
        expect(told).toEqual(call.tells);
        expect(answer).toBe(call.answer ?? '200');
      }
    });

  if (poll !== undefined)
    test(`[HTTPC-1] [HTTPC-3] The preset ${preset} asks for the states of messages`, () => {
      const { receipts } = declaration;
      const question = receipts?.poll;
      if (receipts === undefined || question === undefined) throw new Error('the preset does not ask');
      const { method, origin, path } = requestOf(question, { ...fixed, carrierId: key });
      expect(`${method} ${origin}${path}`).toBe(poll.request);
      const { state = receipts.state, error = receipts.error } = question;
      const settings = { ...receipts, state, ...(error !== undefined && { error }) };
      const told = poll.answers.map(([body]) => {
        const item = Reading.of({ body: JSON.stringify(body), contentType: 'application/json' });
        const read = readReceipt(settings, item, key);
        if (read.kind !== 'receipt') return read.kind;
        return `${nameOf(statuses, read.receipt.status)} ${read.receipt.errorCode ?? '-'}`;
      });
      expect(told).toEqual(poll.answers.map(([, tells]) => tells));
    });

  function requestFor(sms: Partial<OutgoingPart>) {
    const { encoding } = segment(sms.text ?? message.text);
    const values = { ...messageValues({ ...message, encoding, ...sms }, begin, declaration, fixed), key };
    const { method, origin, path, headers, body } = submitRequest(declaration.submit, values);
    const { 'user-agent': _, 'content-type': type, ...others } = headers;
    const isJson = type === 'application/json';
    return {
      request: `${method} ${origin}${path}`,
      ...(Object.keys(others).length > 0 && { headers: others }),
      ...(body !== undefined && {
        body: isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body)),
      }),
    };
  }

  function meaningOf(status: number, body: object | string): string {
    const isText = typeof body === 'string';
    const verdict = verdictOf(
      declaration.submit,
      {
        kind: 'answered',
        status,
        contentType: isText ? 'text/plain' : 'application/json',
        retryAfter: undefined,
        body: isText ? body : JSON.stringify(body),
      },
      begin,
    );
    switch (verdict.kind) {
      case 'accepted':
        return ['accepted', verdict.carrierMessageId ?? declaration.submit.accepted.id, verdict.parts]
          .filter((one) => one !== undefined)
          .join(' ');
      case 'rejected':
      case 'passOn':
        return `${verdict.kind} ${nameOf(refusalStatuses, verdict.status)}`;
      default:
        return verdict.kind;
    }
  }

  async function heard({
    kind,
    body = '',
    query = '',
    headers = {},
    address: from = '192.0.2.1',
    url,
  }: Call) {
    const told: string[] = [];
    const isJson = typeof body !== 'string';
    const sent = { ...(isJson && { 'content-type': 'application/json' }), ...headers } as Readonly<
      Record<string, string>
    >;
    const own = kind === 'receipts' ? urls.receiptUrl : urls.incomingUrl;
    const answer = await takeCall(
      declaration,
      kind,
      {
        method: body === '' ? 'GET' : 'POST',
        url: url ?? (query === '' ? own : `${own}?${query}`),
        query: new URLSearchParams(query),
        body: isJson ? JSON.stringify(body) : body,
        contentType: sent['content-type'] ?? '',
        header: (name) => sent[name],
        address: from,
      },
      {
        async receipts(receipts) {
          for (const { carrierMessageId, status, errorCode, recipient = '-' } of receipts)
            told.push(`${carrierMessageId} ${nameOf(statuses, status)} ${errorCode ?? '-'} ${recipient}`);
        },
        async unreadableReceipt() {
          told.push('unreadable');
        },
        async incoming({ sender, recipient, text, concatenation }) {
          const part = concatenation && ` (${Object.values(concatenation).join(' ')})`;
          told.push(`${sender} ${recipient} ${text}${part ?? ''}`);
          return { id: '1', routed: true };
        },
      },
      conversation.now ?? begin,
    );
    if (answer.kind !== 'answer') return { told, answer: answer.kind };
    return { told, answer: [answer.status, answer.body].filter((one) => one !== '').join(' ') };
  }
}

const statuses = { SENT: 1, DELIVERED: 2, ACCEPTED: 7, UNKNOWN: 12, ...failingStatuses };

function nameOf(names: Readonly<Record<string, number>>, status: number | FailureStatus): string {
  return Object.entries(names).find(([, code]) => code === status)?.[0] ?? String(status);
}
