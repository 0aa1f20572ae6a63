/** `carillon carriers check`: plays recorded conversations through the declarations of carriers by HTTP, and sends nothing. */
import { readFileSync, statSync } from 'node:fs';
import type { Receipt } from '../carriers/carrier.ts';
import type { Verdict } from '../carriers/http/answers.ts';
import type { CallAnswer, CallKind } from '../carriers/http/call.ts';
import { shownRequest } from '../carriers/http/conversation.ts';
import type { HttpRequest } from '../carriers/http/exchange.ts';
import { type RehearsedCall, rehearsedAnswer, rehearsedCall } from '../carriers/http/rehearsal.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { print, printable, printError, printJson } from '../foundation/terminal.ts';
import { type StatusName, statusNames } from '../messages/message.ts';
import { usualSender, usualText } from '../operators/test-carrier.ts';
import { type Conversation, type RecordedCarrier, readRecordings } from '../provisioning/recordings.ts';
import { segment } from '../wire/sms/segments.ts';
import { faultLine, sortedFaults } from '../yaml/fault.ts';
import type { JsonOption } from './list.ts';

const maxMebibytes = 1;
const validForMs = 3_600_000;
const usualRecipient = '46701740605';

export async function checkCarriers(path: string, { json = false }: JsonOption): Promise<void> {
  const read = await readRecordings(contentOf(path));
  if ('faults' in read) {
    printError(...sortedFaults(read.faults).map(faultLine));
    process.exitCode = 1;
    return;
  }
  if (read.carriers.length === 0) throw new StartError(`The file ${path} has no carrier of the type http.`);
  const played = await Promise.all(read.carriers.map((carrier) => play(carrier, systemClock.now())));
  if (json) printJson(played, 2);
  else print(...played.flatMap(linesOf));
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

/** The final status in words too, where there is one. */
interface Named {
  readonly statusName?: StatusName | undefined;
}

function named<Coded extends object>(coded: Coded & { readonly status?: number }): Coded & Named {
  return coded.status === undefined ? coded : { ...coded, statusName: statusNames[coded.status] };
}

interface Played {
  readonly carrier: string;
  readonly conversations: readonly {
    readonly request: HttpRequest;
    readonly answer: { readonly status: number; readonly means: Verdict & Named } | undefined;
    readonly calls: readonly (RehearsedCall & {
      readonly kind: CallKind;
      readonly receipts: readonly (Receipt & Named)[];
    })[];
  }[];
}

/** What the carrier would be sent, and what it has said. */
export async function play(
  { name, declaration, conversations }: RecordedCarrier,
  now: number,
): Promise<Played> {
  const base = `https://carillon.example/carriers/${encodeURIComponent(name)}/TOKEN`;
  const urls = { receipts: `${base}/receipts`, incoming: `${base}/incoming` };
  const ours = { receiptUrl: urls.receipts, incomingUrl: urls.incoming };
  const played = (conversations.length > 0 ? conversations : [silence]).map(
    async ({ message, answer, calls }) => ({
      request: shownRequest(declaration, partOf(message, now), ours, now),
      answer: answer && {
        status: answer.status,
        means: named(await rehearsedAnswer(declaration, answer, now)),
      },
      calls: await Promise.all(
        calls.map(async ({ kind, call, at = now }) => {
          const { networks, ...unlocated } = declaration[kind] ?? {};
          // A call whose address was not recorded can't be judged by it.
          const isLocated = networks === undefined || call.address !== '';
          const judged = isLocated ? declaration : { ...declaration, [kind]: unlocated };
          const url = call.url ?? urls[kind];
          const played = await rehearsedCall(judged, kind, { ...call, url }, at);
          return { ...played, kind, receipts: played.receipts.map(named) };
        }),
      ),
    }),
  );
  return { carrier: name, conversations: await Promise.all(played) };
}

export function linesOf({ carrier, conversations }: Played): readonly string[] {
  const lines = conversations.flatMap(({ request, answer, calls }) => [
    ...requestLines(request),
    ...(answer === undefined ? [] : [`  HTTP ${answer.status}: ${answerSentence(answer.means)}`]),
    ...calls.flatMap((call) => [
      `  call with ${call.kind === 'receipts' ? 'receipts' : 'incoming SMS'}: ${callSentence(call.answer)}`,
      ...reportLines(call).map((line) => `    ${line}`),
    ]),
  ]);
  return [`carrier ${carrier}`, ...lines].map(printable);
}

const silence: Conversation = { message: { flash: false }, answer: undefined, calls: [] };

function partOf({ to, from, text = usualText, flash }: Conversation['message'], now: number) {
  const { parts, encoding } = segment(text);
  return {
    companyId: 1,
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
