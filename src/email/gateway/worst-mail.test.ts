/**
 * The mails that cost the most to read, as a search finds them: none keeps the server from others for long. When lines were
 * not bounded yet, it found those of white space above `-----Original Message-----` within its usual rounds (10 s of 128 kB).
 */
import { describe, expect, test } from 'vitest';
import { mailOf } from '../../../test/harness/raw-mail.ts';
import { chanceSeed, runsFactor } from '../../../test/harness/runs.ts';
import { prove, signingKeys } from '../../../test/harness/signed-mail.ts';
import { type Reading, rendered, steadyCostOf, worstMail } from '../../../test/harness/worst-mail.ts';
import { automaticReason } from '../../wire/mail/automatic.ts';
import { readHeader } from '../../wire/mail/header-fields.ts';
import { noSettings, settled } from '../senders/sender-entry.ts';
import { smsText } from './mail-request.ts';

const mebibyte = 1024 * 1024;
/** That of `CARILLON_MAIL_MAX_SIZE`. */
const largest = 10 * mebibyte;

const header: Reading = async (octets) => {
  automaticReason(readHeader(octets), false);
  await prove(octets, signingKeys, { envelopeSender: 'x@other.example' });
};
const text: Reading = (octets) => mailOf(octets);
const whole: Reading = async (octets) => {
  await header(octets);
  const { subject, text: words } = mailOf(octets);
  smsText({ subject, text: words.text }, settled({ ...noSettings, includeSubject: true }), true);
};

/** 100 ms are allowed, and less than half of that was found; the rest is for machines that are slower than ours. */
const limitMs = 400;

describe('the worst mail that a search finds', () => {
  test.each([
    ['before its sender is proven', header, true, 600],
    ['for its text', text, false, 3_000],
    ['as a whole', whole, true, 600],
  ])(
    '[MAIL-4] [DLV-8] costs little, however large it is: %s',
    async (_name, read, withHeader, usualRounds) => {
      const rounds = { small: usualRounds * runsFactor, large: 30 * runsFactor };
      const { shape } = await worstMail(read, { seed: chanceSeed, withHeader, rounds });
      const costOf = (octets: number) => steadyCostOf(read, rendered(shape, octets));
      const [half, whole, most] = [await costOf(96 * 1024), await costOf(192 * 1024), await costOf(largest)];
      const told = `${JSON.stringify(shape)}: ${[half, whole, most].map(Math.round).join(', ')} ms`;
      expect(most, told).toBeLessThan(limitMs);
      // What is quadratic would take four times as long, and soon be above the limit.
      expect(whole, told).toBeLessThan(3 * half + 20);
    },
    120_000 * Math.max(2, runsFactor),
  );
});
