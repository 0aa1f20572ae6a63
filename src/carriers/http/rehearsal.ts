/** Plays what a carrier has said through its declaration, without any network. */
import type { IncomingSms, Receipt, UnreadableReceipt } from '../carrier.ts';
import { type Verdict, verdictOf } from './answers.ts';
import type { CallAnswer, CallKind, CarrierCall } from './call.ts';
import { takeCall } from './callbacks.ts';
import type { HttpAnswer } from './exchange.ts';
import { prepareExpressions } from './reading.ts';
import type { HttpDeclaration } from './settings.ts';

/** What the declaration makes of a recorded answer. */
export async function rehearsedAnswer(
  { submit }: HttpDeclaration,
  answer: HttpAnswer,
  now: number,
): Promise<Verdict> {
  await prepareExpressions(submit);
  return verdictOf(submit, answer, now);
}

/** What a call would be answered, and what it reports even if it doesn't prove that it is the carrier's. */
export interface RehearsedCall {
  readonly answer: CallAnswer;
  readonly receipts: readonly Receipt[];
  readonly unreadable: readonly UnreadableReceipt[];
  readonly incoming: readonly IncomingSms[];
}

export async function rehearsedCall(
  declaration: HttpDeclaration,
  kind: CallKind,
  call: CarrierCall,
  now: number,
): Promise<RehearsedCall> {
  const receipts: Receipt[] = [];
  const unreadable: UnreadableReceipt[] = [];
  const incoming: IncomingSms[] = [];
  const events = {
    async receipts(some: readonly Receipt[]) {
      receipts.push(...some);
    },
    async unreadableReceipt(one: UnreadableReceipt) {
      unreadable.push(one);
    },
    async incoming(sms: IncomingSms) {
      incoming.push(sms);
      return { id: '', routed: false };
    },
  };
  const answer = await takeCall(declaration, kind, call, events, now);
  if (answer.kind === 'forged') await takeCall(withoutProof(declaration), kind, call, events, now);
  return { answer, receipts, unreadable, incoming };
}

function withoutProof({ receipts, incoming, ...others }: HttpDeclaration): HttpDeclaration {
  return {
    ...others,
    ...(receipts !== undefined && { receipts: unproven(receipts) }),
    ...(incoming !== undefined && { incoming: unproven(incoming) }),
  };
}

function unproven<Section extends { readonly signature?: unknown; readonly networks?: unknown }>({
  signature: _,
  networks: __,
  ...others
}: Section) {
  return others;
}
