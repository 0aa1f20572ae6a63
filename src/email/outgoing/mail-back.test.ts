import { describe, expect, test } from 'vitest';
import { mailOf, plainMail } from '../../../test/harness/raw-mail.ts';
import { status } from '../../messages/message.ts';
import { type AnsweredMail, answerMail, receiptMail } from './mail-back.ts';
import { reportedStatuses } from './words.ts';

const mail: AnsweredMail = {
  companyId: 1,
  mailId: 7,
  returnAddress: 'ward7@care.example',
  subject: 'Night shift',
  references: ['<1@care.example>'],
  conversation: `mail-${'a'.repeat(32)}`,
  language: 'en',
  timeZone: undefined,
};
const at = Date.UTC(2026, 10, 23, 7, 0);
const domain = 'sms.example';
const answer = {
  id: 9,
  number: '46701740699',
  text: 'On my way\n& soon <there>',
  at,
  original: 'Can you come?\nNow?',
};

describe('mail that goes back', () => {
  test('[MAIL-5] A mailed answer says what was answered, from which number, and to which SMS', () => {
    const { messageId, content } = answerMail(mail, answer, domain);
    expect(messageId).toBe(`<answer.9.${mail.conversation}@sms.example>`);
    expect(content.text).toBe(
      'On my way\n& soon <there>\n\nReply by SMS from +46701740699, 2026-11-23 07:00 UTC.\n' +
        'Reply to this e-mail to send an SMS back.\n\nYour SMS:\n> Can you come?\n> Now?\n',
    );
    const inStockholm = answerMail({ ...mail, timeZone: 'Europe/Stockholm' }, answer, domain);
    expect(inStockholm.content.text).toContain(', 2026-11-23 08:00 Europe/Stockholm.');
    const unknown = answerMail({ ...mail, timeZone: 'Mars/Base' }, answer, domain);
    expect(unknown.content.text).toContain(', 2026-11-23 07:00 UTC.');
    expect(content.html).toContain('<p>On my way<br>\n&amp; soon &lt;there&gt;</p>');
  });

  test('[MAIL-5] Receipt e-mails have words for each status that they report, in each language', () => {
    for (const language of ['en', 'sv'] as const) {
      const receipts = reportedStatuses.map((code) => ({ number: '46701740699', status: code, at }));
      const { content } = receiptMail({ ...mail, language }, receipts, { domain, now: at });
      expect(content.text.split('\n')).toHaveLength(receipts.length + 2);
      expect(content.text).not.toMatch(/undefined|\{/);
    }
  });

  test('[MAIL-5] A receipt e-mail lists failures first, and keeps the subject of an answer as it is', () => {
    const receipts = [status.DELIVERED, status.EXPIRED].map((code, place) => ({
      number: `4670174069${place}`,
      status: code,
      at,
    }));
    const subjects = ['SV: Natten', 'Re: Night', 'Night', ''].map(
      (subject) => receiptMail({ ...mail, subject }, receipts, { domain, now: at }).content.subject,
    );
    expect(subjects).toEqual(['SV: Natten', 'Re: Night', 'Re: Night', 'Your SMS']);
    const { text } = receiptMail(mail, receipts, { domain, now: at }).content;
    expect(text).toMatch(/^1 of 2 SMS delivered:\nSMS to \+46701740691: not delivered in time \(/);
  });

  test.each([
    [
      'Outlook',
      'Thanks\n\n________________________________\nFrom: +46701740699 <46701740699@sms.example>\nSent: Monday, 23 November 2026 08:00\nTo: Ward 7 <ward7@care.example>\nSubject: Re: Night shift\n\n%',
    ],
    ['Thunderbird', 'Thanks\n\nOn 23/11/2026 08:00, +46701740699 wrote:\n%'],
    ['Gmail', 'Thanks\n\nmån 23 nov. 2026 kl. 08:00 skrev +46701740699 <46701740699@sms.example>:\n\n%'],
  ])(
    '[MAIL-4] [MAIL-5] Of an answer written in %s only the new text is sent, and not the e-mail it quotes',
    (program, form) => {
      const sign = program === 'Outlook' ? '' : '> ';
      const { text } = answerMail(mail, answer, domain).content;
      const quoted = text.split('\n').map((line) => `${sign}${line}`);
      const octets = plainMail(form.replace('%', quoted.join('\n')), ['From: Ward 7 <ward7@care.example>']);
      expect(mailOf(octets).text.text).toBe('Thanks');
    },
  );
});
