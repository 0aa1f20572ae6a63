/** `carillon carriers check`: plays recorded conversations through the declarations of carriers by HTTP, and sends nothing. */
import { readFileSync, statSync } from 'node:fs';
import type { Receipt } from '../carriers/carrier.ts';
import type { Verdict } from '../carriers/http/answers.ts';
import type { CallAnswer } from '../carriers/http/call.ts';
import { shownRequest } from '../carriers/http/conversation.ts';
import type { HttpRequest } from '../carriers/http/exchange.ts';
import { type RehearsedCall, rehearsedAnswer, rehearsedCall } from '../carriers/http/rehearsal.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { print, printable, printError } from '../foundation/terminal.ts';
import { statusNames } from '../messages/message.ts';
import { usualSender, usualText } from '../operators/test-carrier.ts';
import { type Conversation, type RecordedCarrier, readRecordings } from '../provisioning/recordings.ts';
import { segment } from '../wire/sms/segments.ts';
import { faultLine, sortedFaults } from '../yaml/fault.ts';

const maxMebibytes = 1;
const validForMs = 3_600_000;
const usualRecipient = '46701740605';

export async function checkCarriers(path: string): Promise<void> {
  const read = await readRecordings(contentOf(path));
  if ('faults' in read) {
    printError(...sortedFaults(read.faults).map(faultLine));
    process.exitCode = 1;
    return;
  }
  if (read.carriers.length === 0) throw new StartError(`The file ${path} has no carrier of the type http.`);
  for (const carrier of read.carriers) print(...(await linesOf(carrier, systemClock.now())));
}

function contentOf(path: string): string {
  try {
    if (statSync(path).size > maxMebibytes * 2 ** 20)
      throw new StartError(`The file ${path} is larger than ${maxMebibytes} MiB.`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`The file ${path} cannot be read: ${(error as Error).message}.`);
  }
}

/** What the carrier would be sent, and what it has said. */
export async function linesOf(
  { name, declaration, conversations }: RecordedCarrier,
  now: number,
): Promise<readonly string[]> {
  const base = `https://carillon.example/carriers/${encodeURIComponent(name)}/TOKEN`;
  const urls = { receiptUrl: `${base}/receipts`, incomingUrl: `${base}/incoming` };
  const lines = [`carrier ${name}`];
  for (const { message, answer, calls } of conversations.length > 0 ? conversations : [silence]) {
    lines.push(...requestLines(shownRequest(declaration, partOf(message, now), urls, now)));
    if (answer !== undefined)
      lines.push(
        `  HTTP ${answer.status}: ${answerSentence(await rehearsedAnswer(declaration, answer, now))}`,
      );
    for (const { kind, call, at } of calls) {
      const url = call.url ?? (kind === 'receipts' ? urls.receiptUrl : urls.incomingUrl);
      const { networks: _, ...unlocated } = declaration[kind] ?? {};
      // A call whose address was not recorded can't be judged by it.
      const judged = call.address === '' ? { ...declaration, [kind]: unlocated } : declaration;
      const rehearsed = await rehearsedCall(judged, kind, { ...call, url }, at ?? now);
      lines.push(
        `  call with ${kind === 'receipts' ? 'receipts' : 'incoming SMS'}: ${callSentence(rehearsed.answer)}`,
      );
      lines.push(...reportLines(rehearsed).map((line) => `    ${line}`));
    }
  }
  return lines.map(printable);
}

const silence: Conversation = { message: { flash: false }, answer: undefined, calls: [] };

function partOf({ to, from, text = usualText, flash }: Conversation['message'], now: number) {
  const { parts, encoding } = segment(text);
  return {
    companyId: 0,
    messageId: 1,
    part: 1,
    parts: 1,
    smsParts: parts.length,
    reference: 0,
    recipient: to ?? usualRecipient,
    sender: from ?? usualSender,
    text,
    encoding,
    flash,
    expiresAt: now + validForMs,
    doubts: 0,
  };
}

function requestLines({ method, origin, path, headers, body }: HttpRequest): readonly string[] {
  return [
    `  ${method} ${origin}${path}`,
    ...Object.entries(headers).map(([name, value]) => `    ${name}: ${value}`),
    ...(body === undefined ? [] : [`    ${body}`]),
  ];
}

function answerSentence(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'accepted': {
      const parts = verdict.parts === undefined ? '' : `, ${verdict.parts} SMS`;
      return `accepted as ${verdict.carrierMessageId ?? 'our own id'}${parts}`;
    }
    case 'retry': {
      const pause = verdict.afterMs === undefined ? '' : ` after ${verdict.afterMs / 1_000} s`;
      return `not taken now; tried again${pause} (${verdict.answer})`;
    }
    case 'rejected':
      return `refused for good as ${statusNames[verdict.status]} (${verdict.answer})`;
    case 'passOn':
      return `refused; another carrier may take it, or else it ends as ${statusNames[verdict.status]} (${verdict.answer})`;
    case 'down':
      return `the carrier refuses everything: it is down (${verdict.answer})`;
    case 'unclear':
      return `does not say whether the carrier took it (${verdict.answer})`;
  }
}

function callSentence(answer: CallAnswer): string {
  switch (answer.kind) {
    case 'answer':
      return `answered ${answer.status}`;
    case 'forged':
      return `refused with 403, because its ${answer.why} is not the carrier’s; without that, it says`;
    case 'unreadable':
      return `refused with 400: ${answer.why}`;
    case 'notTaken':
      return 'not taken: the declaration says nothing about such calls';
  }
}

function reportLines({ receipts, unreadable, incoming }: RehearsedCall): readonly string[] {
  return [
    ...receipts.map(receiptLine),
    ...unreadable.map(({ text }) => `a receipt that can’t be read: ${text}`),
    ...incoming.map(({ sender, recipient, text, concatenation: whole }) => {
      const part = whole === undefined ? '' : ` (part ${whole.part} of ${whole.parts})`;
      return `SMS from ${sender} to ${recipient}${part}: ${JSON.stringify(text)}`;
    }),
  ];
}

function receiptLine({ carrierMessageId, recipient, status, errorCode }: Receipt): string {
  const to = recipient === undefined ? '' : `, to ${recipient}`;
  const code = errorCode === null ? '' : `, code ${errorCode}`;
  return `${carrierMessageId} is ${statusNames[status]}${to}${code}`;
}
