/**
 * The SMSC of the crash trial, a separate process that shares no code with ours: `tsx smsc.ts PORT FILE`. Like a real
 * one it keeps what it accepted: each line is in its file before the response leaves, and after a restart it continues from
 * its file.
 */
import smpp, { type ParsedPdu, type RequestPdu, type Session } from 'smpp';
import { SmscBook, type Submission } from './smsc-book.ts';

const answerAfterMs = 15;
const receiptAfterMs = 60;
/** Makes some receipts overtake the response to their submission. */
const earlyReceiptAfterMs = 5;
const tellAgainAfterMs = 200;
const receiptBit = 4;

const sent = 1;
const delivered = 2;
const lastChosen = 13;

/**
 * The name in a receipt's text and the value of message_state (SMPP 3.4, appendix B and 5.2.28), by the final state that the
 * recipient's number chooses.
 */
const failures: Readonly<Record<number, readonly [string, number]>> = {
  3: ['DELETED', 4],
  4: ['EXPIRED', 3],
  5: ['REJECTD', 8],
};

const [port = '', file = ''] = process.argv.slice(2);
const book = new SmscBook(file);
/** The bound sessions with their system_id, and the receipts that are outstanding on each. */
const bound = new Map<Session, { readonly systemId: string; readonly out: Set<Submission> }>();
/** Receipts for which nobody is bound. */
let held: Submission[] = [];

/** The final state, chosen by the last two digits of the number as in the simulator carrier. */
function endOf(to: string): number {
  const chosen = Number(to.slice(-2));
  return chosen >= sent && chosen <= lastChosen ? chosen : delivered;
}

function owesReceipt({ to, wantsReceipt }: Submission): boolean {
  return wantsReceipt && endOf(to) !== sent;
}

function connected(session: Session): void {
  session.on('error', () => undefined);
  session.on('close', () => {
    held.push(...(bound.get(session)?.out ?? []));
    bound.delete(session);
    tellHeld();
  });
  session.on('bind_transceiver', (pdu) => {
    session.send(pdu.response({ system_id: 'trial' }));
    bound.set(session, { systemId: String(pdu.system_id), out: new Set() });
    tellHeld();
  });
  for (const other of ['enquire_link', 'unbind']) session.on(other, (pdu) => session.send(pdu.response()));
  session.on('submit_sm', (pdu) => take(session, pdu));
}

function take(session: Session, pdu: RequestPdu): void {
  const { message, udh } = pdu.short_message as { message: string | Buffer; udh?: readonly Buffer[] };
  // The reference, the number of parts and the part of a message in parts (3GPP TS 23.040 9.2.3.24.1).
  const [, , reference = 0, , part = 1] = udh?.[0] ?? [];
  const submission = book.take({
    to: String(pdu.destination_addr),
    part,
    reference,
    text: message.toString(),
    wantsReceipt: (Number(pdu.registered_delivery) & 1) === 1,
    systemId: bound.get(session)?.systemId ?? '',
  });
  setTimeout(() => session.send(pdu.response({ message_id: submission.id })), answerAfterMs);
  if (!owesReceipt(submission)) return;
  const isEarly = submission.number % 16 === 0;
  setTimeout(() => tell(submission), isEarly ? earlyReceiptAfterMs : answerAfterMs + receiptAfterMs);
}

function tellHeld(): void {
  for (const one of held.splice(0)) tell(one);
}

/** Repeats the receipt until it is accepted, over whichever bind exists then. */
function tell(submission: Submission): void {
  const [session, state] = [...bound].find(([, one]) => one.systemId === submission.systemId) ?? [];
  if (session === undefined || state === undefined) {
    held.push(submission);
    return;
  }
  state.out.add(submission);
  book.note('receipt', submission.id);
  session.deliver_sm(receiptOf(submission), (pdu: ParsedPdu) => {
    if (!state.out.delete(submission)) return;
    if (pdu.command_status === 0) book.note('answered', submission.id);
    else setTimeout(() => tell(submission), tellAgainAfterMs);
  });
}

/** Alternates between parameters alone, the text alone with the id in decimal digits, and both. */
function receiptOf({ id, number, to }: Submission): Readonly<Record<string, unknown>> {
  const end = endOf(to);
  const [name, value] = end === delivered ? (['DELIVRD', 2] as const) : (failures[end] ?? ['UNDELIV', 5]);
  const code = end === delivered ? 0 : end;
  const form = number % 3;
  const idInText = form === 1 ? BigInt(`0x${id}`).toString() : id;
  const error = String(code).padStart(3, '0');
  const text = `id:${idInText} sub:001 dlvrd:001 submit date:2611210910 done date:2611210911 stat:${name} err:${error} text:`;
  return {
    source_addr: to,
    destination_addr: '1234',
    esm_class: receiptBit,
    ...(form > 0 && { short_message: text }),
    ...(form !== 1 && {
      receipted_message_id: id,
      message_state: value,
      network_error_code: Buffer.from([3, 0, code]),
    }),
  };
}

held = book.unanswered().filter(owesReceipt);
smpp.createServer(connected).listen(Number(port), '127.0.0.1', () => console.log('ready'));
