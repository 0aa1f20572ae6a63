import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Caller } from '../../accounts/caller.ts';
import type { CarrierRecord } from '../../carriers/provisioned/carrier-record.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { RoutingTable } from '../../routing/routing-table.ts';
import { cleanNumber } from '../../wire/phone-number.ts';
import { plainRequest, type SendRequest } from './parameters.ts';
import { isLarge, prepare, preparing } from './prepare.ts';

const now = Date.parse('2026-06-01T12:00:00Z');

const caller: Caller = {
  userId: 11,
  username: 'anna',
  companyId: 1,
  roles: new Set(['send']),
  defaultSender: 'Clinic',
  allowedSenders: undefined,
  replaceCharacters: false,
  maxBatch: undefined,
  allowedCountries: undefined,
  session: undefined,
};

const carrier = (id: number): CarrierRecord => ({
  id,
  name: `carrier ${id}`,
  type: 'simulator',
  settings: { submitDelayMs: 0, receiptDelayMs: 0, window: 1, throughput: 0 },
});

const routes = () =>
  new RoutingTable(
    [
      { name: 'se', prefix: '46', carriers: ['carrier 1'] },
      { name: 'no', prefix: '47', carriers: ['carrier 2', 'carrier 3'] },
    ],
    [carrier(1), carrier(2), carrier(3)],
  );

const blank: SendRequest = { ...plainRequest, message: 'Hello NAME' };

function prepared(request: Partial<SendRequest>, changes: Partial<Caller> = {}) {
  return prepare({ ...caller, ...changes }, { ...blank, ...request }, routes(), now);
}

/** The code with which the whole call is refused. */
function refusal(request: Partial<SendRequest>, changes: Partial<Caller> = {}): string {
  try {
    prepared(request, changes);
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
  return 'none';
}

const [one, two] = ['46731000001', '46731000002'];

describe('preparing messages', () => {
  test('[SEND-3] A call makes one message for each recipient, in the order of first mention', () => {
    const { messages, rejected } = prepared({
      to: [two, `+${one}`, `00${two}`],
      tosubst: [
        { to: '4791234567', subst: {} },
        { to: one, subst: { NAME: 'Anna' } },
      ],
    });
    expect(messages).toEqual([
      { recipient: two, text: 'Hello NAME', parts: 1, carrierId: 1 },
      { recipient: one, text: 'Hello Anna', parts: 1, carrierId: 1 },
      { recipient: '4791234567', text: 'Hello NAME', parts: 1, carrierId: expect.any(Number) },
    ]);
    expect(rejected).toEqual([]);
  });

  test('[SEND-3] [SEND-4] Each recipient given either gets one message or is rejected, as it was given', () => {
    const numbers = fc.constantFrom(one, two, `+${one}`, `00${two}`, '0731000001', '4791234567');
    const given = fc.oneof(numbers, fc.constantFrom('abc', '15550100200', '0', ''));
    const lists = fc.record({
      to: fc.array(given),
      extra: fc.array(given),
      code: fc.constantFrom('46', undefined),
    });
    fc.assert(
      fc.property(lists, ({ to, extra, code }) => {
        fc.pre(to.length + extra.length > 0);
        const tosubst = extra.map((number) => ({ to: number, subst: {} }));
        const { messages, rejected, errors } = prepared({ to, tosubst, defaultcountrycode: code });
        const recipients = messages.map(({ recipient }) => recipient);
        expect(new Set(recipients).size).toBe(recipients.length);
        const routed = new Set<string>();
        for (const number of [...to, ...extra]) {
          const clean = cleanNumber(number, code);
          const sendable = clean.ok && /^4[67]/.test(clean.value);
          if (sendable) routed.add(clean.value);
          else expect(rejected).toContain(number);
        }
        expect(recipients).toEqual([...routed]);
        expect(errors.length).toBeGreaterThanOrEqual(rejected.length);
      }),
    );
  });

  test('[CONV-12] A call to many recipients is prepared in small steps, with the same result', () => {
    const to = Array.from({ length: 3_000 }, (_, index) => String(46_731_000_000 + index));
    const work = preparing(caller, { ...blank, to, checknumber: true }, routes(), now);
    let steps = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) steps += 1;
    expect(steps).toBe(150);
    expect(step.value).toEqual(prepared({ to, checknumber: true }));
  });

  test('[CONV-12] A call to a few recipients whose own texts take long is prepared in small steps too', () => {
    const tosubst = [...'12345'].map((digit) => ({ to: `4673100000${digit}`, subst: { NAME: digit } }));
    expect(isLarge({ ...blank, tosubst }, undefined)).toBe(true);
    expect(isLarge({ ...blank, tosubst: tosubst.slice(1), to: [one, two] }, undefined)).toBe(false);
    const work = preparing(caller, { ...blank, tosubst }, routes(), now);
    for (const _ of tosubst) expect(work.next().done).toBe(false);
    expect(work.next()).toMatchObject({ done: true, value: { messages: { length: 5 } } });
  });

  test('[SEND-4] Each rejected recipient is reported with its place and its reason', () => {
    const { messages, errors } = prepared({
      to: ['abc', one, '4687501234'],
      tosubst: [
        { to: '15550100200', subst: {} },
        { to: '4733000000', subst: { 'Hello NAME': '' } },
      ],
      checknumber: false,
    });
    expect(messages).toHaveLength(2);
    expect(errors).toMatchObject([
      { field: 'to[0]', code: 'invalid_number' },
      { field: 'tosubst[0].to', code: 'no_route' },
      { field: 'tosubst[1].to', code: 'no_text' },
    ]);
  });

  test('[DLV-2] The carriers of a route take turns among the recipients of a call', () => {
    const to = ['4791000001', '4791000002', '4791000003', '4791000004'];
    const carriers = prepared({ to }).messages.map(({ carrierId }) => carrierId);
    expect(new Set(carriers)).toEqual(new Set([2, 3]));
    expect(carriers[0]).toBe(carriers[2]);
    expect(carriers[1]).toBe(carriers[3]);
  });

  test('[SEND-9] A call needs a recipient and a text', () => {
    expect(refusal({})).toBe('no_recipients');
    expect(refusal({ to: [one], message: undefined })).toBe('no_text');
    expect(refusal({ to: [one], message: '\u0000\u0007' })).toBe('no_text');
    expect(refusal({ to: Array.from({ length: 10_001 }, () => one) })).toBe('invalid_value');
    expect(refusal({ to: Array.from({ length: 10_000 }, () => one) })).toBe('none');
  });

  test('[SEND-10] A text that no recipient gets is not checked', () => {
    const tosubst = [{ to: one, subst: { '☃': 'Anna' } }];
    expect(prepared({ flash: true, message: 'Hej ☃', to: [one], tosubst }).messages).toMatchObject([
      { text: 'Hej Anna' },
    ]);
    expect(refusal({ flash: true, message: 'Hej ☃', to: [one, two], tosubst })).toBe('invalid_flash_text');
  });

  test('[SEND-10] A flash SMS takes 160 characters of GSM 03.38, however many parts they need', () => {
    expect(prepared({ flash: true, message: '€'.repeat(160), to: [one] }).messages[0]?.parts).toBe(3);
    expect(refusal({ flash: true, message: 'x'.repeat(161), to: [one] })).toBe('invalid_flash_text');
    expect(refusal({ flash: true, message: 'ж', to: [one] })).toBe('invalid_flash_text');
  });

  test('[SEND-21] A message has at most 255 parts', () => {
    expect(refusal({ message: 'x'.repeat(255 * 153), to: [one] })).toBe('none');
    expect(refusal({ message: 'x'.repeat(255 * 153 + 1), to: [one] })).toBe('text_too_long');
  });

  test('[SEND-21] The parts of a call are bounded in total: 117 recipients of 255 parts, or 10,000 of 3', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => String(46_731_000_000 + index));
    const novel = 'x'.repeat(255 * 153);
    expect(prepared({ message: novel, to: many.slice(0, 117) }).messages).toHaveLength(117);
    expect(refusal({ message: novel, to: many.slice(0, 118) })).toBe('text_too_long');
    expect(prepared({ message: 'x'.repeat(3 * 153), to: many }).messages).toHaveLength(10_000);
    expect(refusal({ message: 'x'.repeat(4 * 153), to: many })).toBe('text_too_long');
  });

  test('[SEND-11] Characters are replaced if the caller asks for it and the account enables it', () => {
    const text = (replacecharacters: boolean, replaceCharacters: boolean) =>
      prepared({ to: [one], message: '“Hej”', replacecharacters }, { replaceCharacters }).messages[0]?.text;
    expect(text(true, true)).toBe('"Hej"');
    expect([text(true, false), text(false, true), text(false, false)]).toEqual(['“Hej”', '“Hej”', '“Hej”']);
  });

  test('[SEND-12] A scheduled time ahead is kept, and a time that has only just passed means now', () => {
    const at = (scheduletime: string | undefined) => prepared({ to: [one], scheduletime }).sendAt;
    expect(at(undefined)).toBeUndefined();
    expect(at('2026-06-01T12:00:01Z')).toBe(now + 1_000);
    expect(at('2026-06-01T14:30+02:00')).toBe(now + 30 * 60_000);
    expect(at('2026-06-01T12:00:00Z')).toBeUndefined();
    expect(at('2026-06-01T11:59:00Z')).toBeUndefined();
    expect(refusal({ to: [one], scheduletime: '2026-06-01T11:58:59Z' })).toBe('invalid_time');
    expect(refusal({ to: [one], scheduletime: '2027-06-02T12:00:01Z' })).toBe('invalid_time');
  });

  test('[SEND-15] The sender is the one given, otherwise the default, and must be one that the account may use', () => {
    expect(prepared({ to: [one] }).sender).toBe('Clinic');
    expect(prepared({ to: [one], from: '+46 73 100 00 01' }).sender).toBe(one);
    expect(refusal({ to: [one], from: 'much too long' })).toBe('invalid_sender');
    expect(refusal({ to: [one] }, { defaultSender: undefined })).toBe('no_sender');
    const allowedSenders = new Set(['Ward', one]);
    expect(prepared({ to: [one], from: 'Ward' }, { allowedSenders }).sender).toBe('Ward');
    expect(refusal({ to: [one], from: 'Other' }, { allowedSenders })).toBe('sender_not_allowed');
    expect(refusal({ to: [one] }, { allowedSenders })).toBe('sender_not_allowed');
  });

  test('[SEND-14] The parameter checknumber rejects what is not a mobile number', () => {
    const to = [one, '4687501234', '467191234567890'];
    expect(prepared({ to, checknumber: true })).toMatchObject({
      messages: [{ recipient: one }],
      rejected: to.slice(1),
      errors: [{ code: 'number_not_mobile' }, { code: 'number_machine_series' }],
    });
    expect(prepared({ to }).rejected).toEqual([]);
  });

  describe('with recipients from the address book', () => {
    const from = (field: string, numbers: readonly string[]) => ({ field, numbers });
    const select = (numbers: readonly string[], groups: readonly string[] = [], withoutPhone = 0) => ({
      sources: [from('toaddressbookcustomtagfilter', numbers), from('toaddressbookgroups', groups)],
      withoutPhone,
    });
    const preparedWith = (selected: ReturnType<typeof select>, request: Partial<SendRequest> = {}) =>
      prepare(caller, { ...blank, ...request }, routes(), now, selected);

    test('[SEND-3] [SEND-8] Listed recipients come first and keep their texts, and filters come before groups', () => {
      const [three, four] = ['46731000003', '46731000004'];
      const { messages } = preparedWith(select([three, one, two], [four, three]), {
        to: [two],
        tosubst: [{ to: `+${one}`, subst: { NAME: 'Anna' } }],
      });
      expect(messages.map(({ recipient, text }) => [recipient, text])).toEqual([
        [two, 'Hello NAME'],
        [one, 'Hello Anna'],
        [three, 'Hello NAME'],
        [four, 'Hello NAME'],
      ]);
    });

    test('[SEND-4] [SEND-8] A selected recipient that no route leads to is rejected, with the parameter that selected it', () => {
      expect(preparedWith(select([one, '15551234567']))).toMatchObject({
        messages: [{ recipient: one }],
        rejected: ['15551234567'],
        errors: [{ field: 'toaddressbookcustomtagfilter', code: 'no_route' }],
      });
    });

    test('[SEND-8] A call takes 10,000 recipients, including those selected from the address book', () => {
      const many = Array.from({ length: 10_000 }, (_, index) => String(46_731_000_000 + index));
      expect(preparedWith(select(many)).messages).toHaveLength(10_000);
      const other = '46739999999';
      for (const selected of [select([...many, other]), select(many, [other])]) {
        expect(() => preparedWith(selected)).toThrow('at least 10001 recipients; the limit is 10000');
      }
      expect(() => preparedWith(select(many), { to: [other] })).toThrow('at least 10001 recipients');
    });

    test('[SEND-3] [SEND-8] A recipient who is both listed and selected counts once', () => {
      const many = Array.from({ length: 10_000 }, (_, index) => String(46_731_000_000 + index));
      const tosubst = [{ to: two, subst: {} }];
      expect(preparedWith(select(many), { to: [`+${one}`], tosubst }).messages).toHaveLength(10_000);
      expect(preparedWith(select(many), { to: many }).messages).toHaveLength(10_000);
    });

    test('[SEND-8] A call that selects nobody is refused, with the number of contacts without a phone number', () => {
      const empty = [0, 1, 7].map((withoutPhone) => () => preparedWith(select([], [], withoutPhone)));
      expect(empty[0]).toThrow('The address book selects nobody.');
      expect(empty[1]).toThrow('selects 1 contact, who has no phone number.');
      expect(empty[2]).toThrow('selects 7 contacts, none of whom has a phone number.');
    });
  });
});
