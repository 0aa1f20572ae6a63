/** Sends one SMS by a carrier, for an operator who tries it. */
import type { Actor } from '../audit/audit-log.ts';
import { errorOfFields, ServiceError } from '../foundation/errors.ts';
import { fault, quoted } from '../foundation/result.ts';
import { askForTest, type CarrierTest, testLimits } from '../messages/carrier-test.ts';
import type { Context } from '../storage/context.ts';
import { cleanNumber } from '../wire/phone-number.ts';
import { parseSender } from '../wire/sender-id.ts';
import { countParts } from '../wire/sms/segments.ts';

interface TestOfCarrier {
  /** The carrier's name. */
  readonly carrier: string;
  /** As the operator wrote it. */
  readonly to: string;
  readonly from?: string | undefined;
  readonly text?: string | undefined;
  readonly by: Actor;
}

export const usualSender = 'Carillon';
export const usualText = 'Carillon: test';

export async function testCarrier(
  { store, clock }: Context,
  { carrier, to, from = usualSender, text = usualText, by }: TestOfCarrier,
): Promise<CarrierTest> {
  const recipient = cleanNumber(to);
  if (!recipient.ok) throw errorOfFields(recipient, 'to');
  const sender = parseSender(from);
  if (!sender.ok) throw errorOfFields(sender, 'from');
  if (text.trim() === '') throw errorOfFields(fault('no_text', 'The text of the test is empty.'), 'message');
  if (countParts(text) > 1)
    throw errorOfFields(fault('invalid_value', { sentence: 'test_too_long' }), 'message');
  const test = await store.write(askForTest, {
    carrier,
    recipient: recipient.value,
    sender: sender.value.value,
    text,
    by,
    now: clock.now(),
  });
  if (test === 'noCarrier')
    throw new ServiceError('not_found', { sentence: 'no_carrier', name: quoted(carrier) });
  if (test === 'tooMany') {
    const { minute, day } = testLimits;
    const limits = { minute: String(minute), day: String(day) };
    throw new ServiceError('too_many_tests', { sentence: 'too_many_tests', ...limits });
  }
  return test;
}
