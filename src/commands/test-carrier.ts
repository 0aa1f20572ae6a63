/** `carillon carriers test`: sends one SMS by a carrier, and says what became of it. */
import { setTimeout as delay } from 'node:timers/promises';
import { operator } from '../audit/audit-log.ts';
import { systemClock, timeIn } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { readReason } from '../foundation/sentences.ts';
import { print, printable, printJson } from '../foundation/terminal.ts';
import { type CarrierTest, findTest, type TestState, testStateOf } from '../messages/carrier-test.ts';
import { isFinal, status, statusNames } from '../messages/message.ts';
import { testCarrier } from '../operators/test-carrier.ts';
import type { Store } from '../storage/store.ts';
import { inStore } from './as-operator.ts';
import { iso, type JsonOption } from './list.ts';

interface TestOptions extends JsonOption {
  readonly to: string;
  readonly from?: string;
  readonly text?: string;
  readonly wait: number;
}

const lookEveryMs = 200;
export const usualWaitSeconds = 30;
const maxWaitSeconds = 3_600;

export function seconds(text: string): number {
  if (/^[0-9]{1,4}$/.test(text) && Number(text) <= maxWaitSeconds) return Number(text);
  throw new StartError(
    `The wait must be a number of seconds from 0 to ${maxWaitSeconds}, not ${JSON.stringify(text)}.`,
  );
}

export async function sendTest(carrier: string, { wait, json = false, ...sms }: TestOptions): Promise<void> {
  await inStore(async (store) => {
    const tell = (line: string) => {
      if (!json) print(line);
    };
    const asked = await testCarrier({ store, clock: systemClock }, { carrier, ...sms, by: operator });
    tell(`To ${asked.recipient} from ${asked.sender} by ${carrier}: ${JSON.stringify(asked.text)}`);
    const answered = await until(store, asked, (test) => testStateOf(test, systemClock.now()) !== 'waiting');
    const state = testStateOf(answered, systemClock.now());
    for (const line of answered.conversation?.split('\n') ?? []) tell(`    ${printable(line)}`.trimEnd());
    tell(answers[state](answered));
    const isOpen = state === 'accepted' && wait > 0;
    const ended = isOpen
      ? await until(store, answered, hasFinalReceipt, timeIn(systemClock, wait * 1_000))
      : answered;
    if (state === 'accepted') tell(receiptOf(ended));
    if (json) printJson(asJson(carrier, ended, state), 2);
    if (state !== 'accepted' || (hasFinalReceipt(ended) && ended.status !== status.DELIVERED))
      process.exitCode = 1;
  });
}

const hasFinalReceipt = ({ status }: CarrierTest) => status !== null && isFinal(status);

/** The test when the condition holds, or as it is at the end of the time. */
async function until(
  store: Store,
  { id }: CarrierTest,
  holds: (test: CarrierTest) => boolean,
  end = Number.POSITIVE_INFINITY,
): Promise<CarrierTest> {
  for (;;) {
    const test = await store.read(findTest, id);
    if (test === undefined) throw new StartError('The test was removed from the store.');
    if (holds(test) || systemClock.now() >= end) return test;
    await delay(lookEveryMs);
  }
}

const because = ({ reason }: CarrierTest) => (reason === null ? '' : `: ${readReason(reason).text}`);

const answers: Readonly<Record<TestState, (test: CarrierTest) => string>> = {
  waiting: () => 'It waits for an answer.',
  notBound: () => 'Not sent: no node had a connection to the carrier.',
  accepted: ({ carrierMessageId }) => `The carrier accepted it as ${carrierMessageId}.`,
  refused: (test) => `The carrier refused it${because(test)}.`,
  notTaken: (test) => `The carrier did not take it now${because(test)}. It is not sent again.`,
  unanswered: (test) => `The carrier may or may not have taken it${because(test)}.`,
};

function receiptOf({ status, errorCode }: CarrierTest): string {
  if (status === null) return 'No receipt has come yet.';
  const code = errorCode === null ? '' : `, the carrier’s code is ${errorCode}`;
  return `Its receipt says ${statusNames[status]}${code}.`;
}

function asJson(carrier: string, test: CarrierTest, state: TestState) {
  const { id, recipient: to, sender: from, text, askedAt, reason, status, reportedAt } = test;
  return {
    id: String(id),
    carrier,
    to,
    from,
    text,
    asked: iso(askedAt),
    state,
    reason: reason === null ? null : readReason(reason).text,
    carrierMessageId: test.carrierMessageId,
    status: status === null ? null : statusNames[status],
    errorCode: test.errorCode,
    reported: reportedAt === null ? null : iso(reportedAt),
    conversation: test.conversation,
  };
}
