/** Batch bodies for tests, split into such small blocks that each of their parts crosses a block border somewhere. */

import type { BatchRequest } from '../../src/batches/intake/judge.ts';
import {
  type GivenRecipient,
  JsonRecipients,
  listName,
  type RecipientList,
} from '../../src/batches/intake/recipient.ts';
import { Body } from '../../src/http/body/body.ts';
import { type Skimmed, skimJson } from '../../src/http/body/json-skim.ts';
import { Faults } from '../../src/http/parameters/faults.ts';

export function bodyOf(content: string | Buffer, blockBytes = 7): Body {
  const bytes = Buffer.from(content);
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += blockBytes)
    blocks.push(new Uint8Array(bytes.subarray(at, at + blockBytes)));
  return new Body(blocks, bytes.length);
}

/** Runs a pausing generator to its end. */
export function toEnd<Result>(work: Generator<unknown, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

export function skim(content: string | Buffer, blockBytes?: number): Skimmed & { readonly body: Body } {
  const body = bodyOf(content, blockBytes);
  return { ...toEnd(skimJson(body, { list: listName, fields: new Set(['message', 'apikey']) })), body };
}

/** The list in a JSON body that contains one. */
export function jsonList(content: string | Buffer, blockBytes?: number): RecipientList {
  const { body, list } = skim(content, blockBytes);
  if (list === undefined) throw new Error('the body has no list');
  return new JsonRecipients(body, list);
}

export function recipientsIn(list: RecipientList, faults = new Faults()): readonly GivenRecipient[] {
  const recipients: GivenRecipient[] = [];
  for (const some of list.read(faults)) recipients.push(...some);
  return recipients;
}

/** The faults by field, in order. */
export function faultsOf(list: RecipientList): readonly (readonly [string, string])[] {
  const faults = new Faults();
  recipientsIn(list, faults);
  return (faults.asError()?.errors ?? []).map(({ field, error }) => [field, error] as const);
}

export function batchRequest(request: Partial<BatchRequest> = {}): BatchRequest {
  return {
    message: 'Hello',
    holders: [],
    conversation: '',
    defaultCountryCode: undefined,
    replacing: false,
    countries: undefined,
    origin: { sender: 'Sender', username: 'alice' },
    routes: {
      routes: [{ name: 'most', prefix: '467', carriers: ['sim'] }],
      carriers: [{ id: 1, name: 'sim' }],
      usable: new Set([1]),
    },
    maxRecipients: 1_000,
    refusesUnknown: false,
    skipsFaulty: false,
    understood: undefined,
    ...request,
  };
}
