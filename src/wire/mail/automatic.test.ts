/** What is taken for automatic mail, and what is not. */
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
  ])('[MAIL-4] %s', (_name, field) => {
    expect(reasonFor([field])).toMatch(/^(is|has|comes) /);
  });

  test('[MAIL-4] an empty sender in the envelope', () => {
    expect(reasonFor([], true)).toBe('has an empty return path, as bounces have');
  });

  test('[MAIL-4] an alarm is none, from those who may send what programs write; a reply is', () => {
    const known = (...header: readonly string[]) =>
      automaticReason(readHeader(rawMail(['From: kari@care.example', ...header])), false, {
        isTrusted: true,
      });
    expect(known('Auto-Submitted: auto-generated (by a monitor)')).toBeUndefined();
    for (const more of [
      'Auto-Submitted: auto-replied',
      'Precedence: bulk',
      'Return-Path: <>',
      'X-Autoreply: yes',
    ])
      expect(known('Auto-Submitted: auto-generated', more)).toMatch(/^(is|has) /);
    expect(
      automaticReason(readHeader(rawMail(['Auto-Submitted: auto-generated'])), true, {
        isTrusted: true,
      }),
    ).toMatch(/empty return path/);
  });

  test('[MAIL-4] mail through a list is none, from those who answer for it; a reply through it is', () => {
    const ofList = (...header: readonly string[]) =>
      automaticReason(readHeader(rawMail(['List-Id: On call <oncall.care.example>', ...header])), false, {
        isTrusted: true,
      });
    for (const precedence of ['list', 'bulk']) expect(ofList(`Precedence: ${precedence}`)).toBeUndefined();
    expect(ofList()).toBeUndefined();
    for (const more of ['Auto-Submitted: auto-replied', 'Precedence: junk', 'Return-Path: <>'])
      expect(ofList('Precedence: list', more)).toMatch(/^(is|has) /);
  });

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
  ])('[MAIL-4] not for %s', (_name, field) => {
    expect(reasonFor([field])).toBeUndefined();
  });
});
