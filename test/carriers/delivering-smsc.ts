/**
 * An SMSC that accepts submissions, sends receipts, and repeats those that are temporarily refused, each after a set time.
 */
import { command, octets, RawSmsc, receiptBody, recipientOf, type SmscSession } from './raw-smsc.ts';

export interface DeliveringSetup {
  readonly answerMs: number;
  readonly receiptMs: number;
  /** Different at each start, since the ids of messages begin with it. */
  readonly instance: number;
}

const repeatMs = 300;

/** Numbers ending in 06 are undeliverable; all others get their SMS. */
export async function deliveringSmsc({ answerMs, receiptMs, instance }: DeliveringSetup): Promise<RawSmsc> {
  const smsc = await RawSmsc.listen();
  const receipts = new Map<number, Buffer>();
  const deliver = (session: SmscSession, body: Buffer) => {
    if (!session.isClosed) receipts.set(session.request(command.deliverSm, body), body);
  };
  const later = (ms: number, work: () => void) => {
    if (ms === 0) return work();
    const due = performance.now() + ms;
    const wait = (): void => {
      const leftMs = due - performance.now();
      // A timer counts from the start of its turn, so it may fire early.
      if (leftMs <= 0) work();
      else setTimeout(wait, Math.max(1, leftMs)).unref();
    };
    wait();
  };
  smsc.rules.set(command.submitSm, (session, pdu) => {
    const id = `${instance}-${smsc.nextId()}`;
    const recipient = recipientOf(pdu);
    const state = recipient.endsWith('06') ? 'UNDELIV' : 'DELIVRD';
    later(answerMs, () => {
      session.send(octets(command.submitSmResp, 0, pdu.sequence, `${id}\0`));
      later(receiptMs, () => deliver(session, receiptBody(id, recipient, state)));
    });
  });
  smsc.rules.set(command.deliverSmResp, (session, pdu) => {
    const body = receipts.get(pdu.sequence);
    receipts.delete(pdu.sequence);
    if (pdu.status !== 0 && body !== undefined) later(repeatMs, () => deliver(session, body));
  });
  return smsc;
}
