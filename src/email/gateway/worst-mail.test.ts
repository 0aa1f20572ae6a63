/**
 * The mails that cost the most to read, as a search finds them: none keeps the server from others for long. When lines were
 * not bounded yet, it found those of white space above `-----Original Message-----` within its usual rounds (10 s of 128 kB).
 */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../../test/harness/linear-time.ts';
import { mailOf } from '../../../test/harness/raw-mail.ts';
import { chanceSeed, runsFactor } from '../../../test/harness/runs.ts';
import { prove, signingKeys } from '../../../test/harness/signed-mail.ts';
import { type Reading, rendered, steadyCostOf, worstMail } from '../../../test/harness/worst-mail.ts';
import { automaticReason } from '../../wire/mail/automatic.ts';
import { readHeader } from '../../wire/mail/header-fields.ts';
import { noSettings, settled } from '../senders/sender-entry.ts';
import { smsText } from './send-mail.ts';

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

/** With `npm run test:long` five times as many. */
const usualRounds = { header: 150, text: 600, whole: 150 };

describe('the worst mail that a search finds', () => {
  test.each([
    ['before its sender is proven', header, true, usualRounds.header],
    ['for its text', text, false, usualRounds.text],
    ['as a whole', whole, true, usualRounds.whole],
  ])(
    '[MAIL-4] [DLV-8] costs in proportion to its size, and little beside a hash of it: %s',
    async (_name, read, withHeader, small) => {
      const rounds = { small: small * runsFactor, large: 10 * runsFactor };
      const { shape } = await worstMail(read, { seed: chanceSeed, withHeader, rounds });
      const told = JSON.stringify(shape);
      await expectLinearTime((octets) => read(rendered(shape, octets)), { from: 48 * 1024, times: 8 });
      await expectLinearTime((octets) => read(rendered(shape, octets)), { from: largest / 8, times: 8 });
      const mail = rendered(shape, largest);
      const hashMs = await steadyCostOf((octets) => createHash('sha256').update(octets).digest(), mail);
      // The first readings of so large a mail cost a quarter more than those that follow.
      expect(await steadyCostOf(read, mail, 12), told).toBeLessThan(40 * hashMs);
    },
    120_000 * Math.max(2, runsFactor),
  );
});
