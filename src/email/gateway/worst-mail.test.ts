/**
 * Searches for the e-mails that are the most expensive to read; none may keep the server from other work for long. Before lines
 * were bounded, the search found lines of white space above `-----Original Message-----` within its usual rounds (10 s for
 * 128 kB).
 */
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../../test/harness/linear-time.ts';
import { mailOf } from '../../../test/harness/raw-mail.ts';
import { chanceSeed, runsFactor } from '../../../test/harness/runs.ts';
import { prove, signingKeys } from '../../../test/harness/signed-mail.ts';
import {
  type MailShape,
  type Reading,
  rendered,
  steadyCostOf,
  worstMail,
} from '../../../test/harness/worst-mail.ts';
import { automaticReason } from '../../wire/mail/automatic.ts';
import { readHeader } from '../../wire/mail/header-fields.ts';
import { noSettings, settled } from '../senders/sender-entry.ts';
import { smsText } from './send-mail.ts';

const mebibyte = 1024 * 1024;
/** The default of `CARILLON_MAIL_MAX_SIZE`. */
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

/** Resembles most e-mails: signed by the sender's domain, with plain text in lines. */
const ordinary: MailShape = {
  frame: ['Content-Type: text/plain; charset=utf-8'],
  isSigned: true,
  header: [],
  headerTimes: 0,
  body: [
    {
      tokens: ['The meeting of the ward is at nine, please bring the list of the week with you.\r\n'],
      share: 1,
    },
  ],
};

/** `npm run test:long` runs five times as many rounds. */
const usualRounds = { header: 150, text: 600, whole: 150 };

describe('the worst e-mail that a search finds', () => {
  test.each([
    ['before its sender is proven', 3, header, true, usualRounds.header],
    // The text of an ordinary e-mail costs almost nothing; the worst costs about 17 times as much.
    ['for its text', 40, text, false, usualRounds.text],
    ['as a whole', 3, whole, true, usualRounds.whole],
  ])(
    '[MAIL-4] [DLV-8] The worst e-mail costs in proportion to its size, and at most a multiple of an ordinary one: %s, %i times',
    async (_name, most, read, withHeader, small) => {
      const rounds = { small: small * runsFactor, large: 10 * runsFactor };
      const { shape } = await worstMail(read, { seed: chanceSeed, withHeader, rounds });
      const described = JSON.stringify(shape);
      await expectLinearTime((octets) => read(rendered(shape, octets)), { from: 48 * 1024, times: 8 });
      await expectLinearTime((octets) => read(rendered(shape, octets)), { from: largest / 8, times: 8 });
      // The same reader reads the same number of octets in both cases, so the processor does not matter. The first readings
      // of so large an e-mail cost a quarter more than later ones.
      const ordinaryMs = await steadyCostOf(read, rendered(ordinary, largest), 12);
      expect(await steadyCostOf(read, rendered(shape, largest), 12), described).toBeLessThan(
        most * ordinaryMs,
      );
    },
    120_000 * Math.max(2, runsFactor),
  );
});
