/** Tests which e-mails are recognised as automatic, and which are not. */
import { describe, expect, test } from 'vitest';
import { rawMail } from '../../../test/harness/raw-mail.ts';
import { automaticReason } from './automatic.ts';
import { readHeader } from './header-fields.ts';

const reasonFor = (header: readonly string[], hasNullReturnPath = false) =>
  automaticReason(readHeader(rawMail(['From: kari@care.example', ...header])), hasNullReturnPath);

describe('automatic mail', () => {
  test.each([
    ['an absence note', 'Auto-Submitted: auto-replied'],
    ['an alarm', 'auto-submitted: auto-generated (by a monitor)'],
    ['a notification', 'Auto-Submitted: auto-notified; owner-email="a@b.example"'],
    ['a value of later days', 'Auto-Submitted: something-new'],
    ['bulk mail', 'Precedence: bulk'],
    ['junk', 'Precedence:  JUNK '],
    ['a list', 'Precedence: list'],
    ['an older responder', 'Precedence: auto_reply'],
    ['a list by its id', 'List-Id: People <people.care.example>'],
    ['a bounce', 'Content-Type: multipart/report; report-type=delivery-status; boundary=x'],
    ['a receipt of reading', 'Content-Type: multipart/report; report-type=disposition-notification'],
    ['a bounce of Exim', 'X-Failed-Recipients: a@b.example'],
    ['X-Autoreply', 'X-Autoreply: yes'],
    ['X-Autorespond', 'X-Autorespond: Re: hello'],
    ['X-POST-MessageClass', 'X-POST-MessageClass: 9; Autoresponder'],
    ['a return path that a relay wrote down', 'Return-Path: <>'],
    ['a mail server', 'From: Mail Delivery System <MAILER-DAEMON@mx.example>'],
  ])('[MAIL-4] An e-mail counts as automatic by its header: %s', (_name, field) => {
    expect(reasonFor([field])).toMatch(/^(is|has|comes) /);
  });

  test('[MAIL-4] An e-mail with an empty sender in the envelope counts as automatic', () => {
    expect(reasonFor([], true)).toBe('has an empty return path, as bounces have');
  });

  const known = (header: readonly string[], hasNullReturnPath = false) =>
    automaticReason(readHeader(rawMail(['From: kari@care.example', ...header])), hasNullReturnPath, {
      isTrusted: true,
    });

  test.each([
    ['by a monitor', ['Auto-Submitted: auto-generated (by a monitor)']],
    ['as bulk mail', ['Auto-Submitted: auto-generated', 'Precedence: Bulk']],
    ['as junk', ['Precedence: junk']],
    ['with a return path that a relay wrote down', ['Auto-Submitted: auto-generated', 'Return-Path: <>']],
    ['of a fault that goes on', ['Auto-Submitted: auto-generated', 'References: <fault.7@care.example>']],
    ['through a list', ['List-Id: On call <oncall.care.example>', 'Precedence: list']],
    ['through a list that says bulk', ['List-Id: On call <oncall.care.example>', 'Precedence: bulk']],
    ['that speaks of replies', ['Auto-Submitted: auto-generated', 'Subject: Auto reply works again']],
  ])('[MAIL-4] An alarm from a trusted sender does not count as automatic: %s', (_name, header) => {
    expect(known(header)).toBeUndefined();
    expect(known(header, true)).toBe(known(header));
  });

  test('[MAIL-4] An answer that a trusted person sends through a mailing list does not count as automatic', () => {
    expect(
      known(['List-Id: <oncall.care.example>', 'Precedence: bulk', 'Subject: Re: Shift']),
    ).toBeUndefined();
  });

  test.each([
    ['what says so', ['Auto-Submitted: auto-replied']],
    ['X-Autoreply', ['Auto-Submitted: auto-generated', 'X-Autoreply: yes']],
    ['a reply by its precedence', ['Precedence: auto_reply']],
    ['a mail server', ['From: postmaster@care.example', 'Return-Path: <>']],
    ['a report', ['Return-Path: <>', 'Content-Type: multipart/report; boundary=x']],
    [
      'Exchange',
      ['Auto-Submitted: auto-generated', 'In-Reply-To: <1@sms.example>', 'Subject: Automatic reply: Shift'],
    ],
    [
      'what answers',
      ['Auto-Submitted: auto-generated', 'In-Reply-To: <1@sms.example>', 'Subject: Thank you'],
    ],
    ['what answers by its subject', ['Auto-Submitted: auto-generated', 'Subject: SV: Vakt']],
    [
      'an absence note',
      ['Auto-Submitted: auto-generated', 'Subject: =?utf-8?Q?Automaattinen_vastaus?=: Vuoro'],
    ],
    ['vacation(1)', ['Precedence: bulk', 'Subject: Re: Shift']],
    ['an answer without a return path', ['Return-Path: <>', 'In-Reply-To: <1@sms.example>']],
  ])(
    '[MAIL-4] An automatic reply or a bounce counts as automatic even from a trusted sender: %s',
    (_name, header) => {
      expect(known(header)).toMatch(/^(is|has|was) /);
    },
  );

  test.each([
    ...['Automatic reply: Shift', 'Autosvar: Vakt', 'Automatisk svar: Vagt', 'Automatiskt svar: Pass'],
    ...['Automatische Antwort: Dienst', 'Réponse automatique : Garde', 'Automatická odpověď: Směna'],
    ...['Автоматический ответ: Смена', '自動応答：当番', 'Out of Office: Shift', 'Fraværsmelding'],
  ])(
    '[MAIL-4] An absence note that suppresses automatic answers is recognised by its subject: %s',
    (subject) => {
      const suppressed = [`Subject: ${subject}`, 'X-Auto-Response-Suppress: All'];
      expect(known(suppressed)).toMatch(/^has the subject of an automatic reply/);
      expect(reasonFor(suppressed)).toMatch(/^has the subject of an automatic reply/);
      // A person may write either kind of e-mail.
      expect(known([`Subject: ${subject}`])).toBeUndefined();
      expect(known(['Subject: Fravær: Kari er syk', 'X-Auto-Response-Suppress: All'])).toBeUndefined();
    },
  );

  test.each([
    ['Auto-Submitted: no', 'Auto-Submitted: no'],
    ['Auto-Submitted: no, with a comment', 'Auto-Submitted: (really) NO; x=y'],
    ['a wish that nobody answers by himself', 'X-Auto-Response-Suppress: All'],
    ['another precedence', 'Precedence: first-class'],
    ['a way to unsubscribe', 'List-Unsubscribe: <https://care.example/u>'],
    ['X-Autoreply: no', 'X-Autoreply: no'],
    ['a return path', 'Return-Path: <kari@care.example>'],
    ['a postmaster', 'Sender: postmaster@care.example'],
    ['a subject that says so', 'Subject: Automatic reply: Shift'],
  ])('[MAIL-4] An e-mail does not count as automatic for %s', (_name, field) => {
    expect(reasonFor([field])).toBeUndefined();
  });
});
