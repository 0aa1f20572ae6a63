import { afterEach, expect, test } from 'vitest';
import { CarrierRecorder, messages } from '../../../../test/carriers/carrier-recorder.ts';
import { command, type RawPdu, RawSmsc, type SmscSession } from '../../../../test/carriers/raw-smsc.ts';
import { smppSettingsFor } from '../../../../test/carriers/smpp-setup.ts';
import { pause, until } from '../../../../test/harness/awake.ts';
import { systemClock } from '../../../foundation/clock.ts';
import { SmppCarrier } from './smpp-carrier.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A carrier that is up, with a node lease that the test grants and revokes. */
async function leased(window: number) {
  const smsc = await RawSmsc.listen();
  closing.push(() => smsc.close());
  const lease = { isHeld: true };
  const settings = smppSettingsFor(smsc.port, { window });
  const carrier = new SmppCarrier({
    id: 1,
    name: 'operator',
    settings,
    instance: '1',
    clock: systemClock,
    lease,
  });
  const heard = new CarrierRecorder();
  await carrier.start(heard);
  closing.push(() => carrier.stop(0));
  await until(() => carrier.status().figures.bindsUp === 1);
  return { smsc, lease, carrier, heard };
}

const take = (session: SmscSession, pdu: RawPdu) => session.answer(pdu, 0, `id${pdu.sequence}\0`);

test('[RUN-2] [DLV-6] Without the lease a carrier submits nothing, whatever makes room; with the lease everything goes on', async () => {
  const { smsc, lease, carrier, heard } = await leased(4);
  smsc.rules.set(command.submitSm, () => undefined);
  carrier.submit(messages(12));
  await until(() => smsc.submissions.length === 4);
  lease.isHeld = false;
  // Simulates responses that lay in the socket while the process was suspended.
  for (const pdu of smsc.submissions) take(smsc.session, pdu);
  await until(() => heard.ofKind('accepted').length === 4);
  smsc.session.request(command.enquireLink);
  await until(() => smsc.session.of(command.enquireLinkResp).length === 1);
  await pause(250);
  expect(smsc.submissions).toHaveLength(4);
  expect(carrier.status().figures).toMatchObject({ windowUsed: 0, waitingParts: 8 });
  smsc.rules.set(command.submitSm, take);
  lease.isHeld = true;
  await until(() => heard.outcomes.length === 12);
  expect(heard.ofKind('accepted')).toHaveLength(12);
  expect(smsc.submissions).toHaveLength(12);
});

test('[RUN-2] [DLV-6] A submission composed in one turn is not written in the next if the lease ends in between', async () => {
  const { smsc, lease, carrier, heard } = await leased(10);
  carrier.submit(messages(10));
  // This is still the same turn, and the bytes are written only at its end.
  lease.isHeld = false;
  await pause(250);
  expect(smsc.submissions).toEqual([]);
  expect(heard.outcomes).toEqual([]);
  await carrier.stop(0);
  expect(heard.ofKind('retryAt')).toHaveLength(10);
  expect(smsc.submissions).toEqual([]);
});
