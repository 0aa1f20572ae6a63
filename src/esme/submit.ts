/** Sends what a client submits, as a call of its account; the response follows the commit. */
import type { Caller } from '../accounts/caller.ts';
import { messageIdsIn } from '../messages/sending/accept.ts';
import { type Sending, type SendOptions, type Sent, send } from '../messages/sending/send.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';
import type { UnsuccessfulDestination } from '../wire/smpp/commands.ts';
import { joinParts } from '../wire/smpp/concatenation.ts';
import type { PduInput } from '../wire/smpp/pdu.ts';
import { refusalOf } from '../wire/smpp/responses.ts';
import { acceptOfClients } from './accept-store.ts';
import { wanted } from './delivery.ts';
import { statusOf, statusOfCode } from './refusal.ts';
import { headerOf, takePart } from './send-parts.ts';
import { numberOf, readSubmission, type Submission, type SubmitPdu } from './submission.ts';

export async function submit(sending: Sending, caller: Caller, pdu: SubmitPdu): Promise<PduInput> {
  const submission = readSubmission(pdu, sending.clock.now());
  if (typeof submission === 'number') return refusalOf(pdu, submission);
  const { concatenation } = submission;
  try {
    if (concatenation !== undefined && pdu.command !== 'submitMulti') {
      const messageId = await takePart(sending, caller, submission, concatenation);
      return answerWith(pdu, messageId);
    }
    const sent = await sendSubmission(sending, caller, pdu, submission);
    return answerOf(pdu, sent);
  } catch (error) {
    return refusalOf(pdu, statusOf(error));
  }
}

function sendSubmission(
  sending: Sending,
  caller: Caller,
  { command }: SubmitPdu,
  { request: asked, wanted: ends, reference, concatenation }: Submission,
): Promise<Sent> {
  if (ends === wanted.nothing && command !== 'submitMulti') return send(sending, caller, asked, undefined);
  const accept: SendOptions['accept'] = (acceptance) => {
    // The messages of a submit_multi have one id: that of the first.
    const [first] = acceptance.rows.length > 1 ? messageIdsIn(acceptance) : [null];
    const reported = [{ shownId: first ?? null, wanted: ends, reference }];
    const header = concatenation && headerOf(concatenation, acceptance);
    return sending.store.write(acceptOfClients, { acceptance, reported, header });
  };
  const request = concatenation ? { ...asked, message: joinParts([asked.message ?? '']) } : asked;
  return send(sending, caller, request, undefined, { accept });
}

function answerOf(pdu: SubmitPdu, { accepted, rejected, errors = [] }: Sent): PduInput {
  const messageId = accepted[0]?.id ?? '';
  if (pdu.command !== 'submitMulti') return answerWith(pdu, messageId);
  const codes = new Map(errors.map(({ field, code }) => [field, code]));
  const refused = new Set(rejected);
  const unsuccessSmes = pdu.destAddresses.flatMap((destination, index): UnsuccessfulDestination[] => {
    if ('distributionList' in destination || !refused.has(numberOf(destination))) return [];
    // Only the first errors are listed.
    const code = codes.get(`to[${index}]`);
    const errorStatusCode = code === undefined ? commandStatus.ESME_RSUBMITFAIL : statusOfCode(code);
    return [{ ...destination, errorStatusCode }];
  });
  return { command: 'submitMultiResp', sequence: pdu.sequence, messageId, unsuccessSmes };
}

function answerWith(
  { command, sequence }: Exclude<SubmitPdu, { command: 'submitMulti' }>,
  messageId: string,
): PduInput {
  return { command: command === 'submitSm' ? 'submitSmResp' : 'dataSmResp', sequence, messageId };
}
