/** Tests e-mails as programs write them, and the text that a phone gets from each. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  answerHeader,
  encodedMail,
  htmlMail,
  mailOf,
  multipart,
  plainMail,
  rawMail,
  usualHeader,
} from '../../../test/harness/raw-mail.ts';
import { assertRuns } from '../../../test/harness/runs.ts';

async function textOf(octets: Buffer): Promise<string> {
  return mailOf(octets).text.text;
}

describe('the header', () => {
  test('[MAIL-4] The header of an e-mail gives sender, subject and Message-ID', async () => {
    const mail = mailOf(
      rawMail([
        'From: =?utf-8?Q?K=C3=A5re?= (at work) <Kare@Care.Example>',
        'Subject: =?utf-8?B?VsOlcnQgbcO4dGU=?= =?iso-8859-1?Q?_i_=E5r?=\r\n er  flyttet',
        'Message-ID: <abc.1@care.example>',
      ]),
      false,
    );
    expect(mail.from).toEqual({
      mailboxes: [{ local: 'Kare', domain: 'Care.Example' }],
      fields: 1,
      hasGroup: false,
      fault: undefined,
    });
    expect(mail.subject).toBe('Vårt møte i år er flyttet');
    expect(mail.messageId).toBe('<abc.1@care.example>');
    expect(mail.automatic).toBeUndefined();
  });

  test('[MAIL-4] A subject in UTF-8 or Latin-1 without encoded words is read too', async () => {
    expect(mailOf(rawMail(['Subject: Møte'])).subject).toBe('Møte');
    expect(mailOf(rawMail(['Subject: Voilà'])).subject).toBe('Voilà');
    expect(mailOf(rawMail(['Subject: a\r\n\tb'])).subject).toBe('a b');
    const latin = Buffer.from('Subject: M\xf8te\r\n\r\n', 'latin1');
    expect(mailOf(latin).subject).toBe('Møte');
  });

  test.each([
    ['windows-1252', '=?windows-1252?Q?=935_=80=94_=96_ja?=', '“5 €” – ja'],
    ['with a language', '=?utf-8*no?Q?M=C3=B8te?=', 'Møte'],
    ['a character that begins in one word and ends in the next', '=?utf-8?B?TcM=?= =?utf-8?B?uHRl?=', 'Møte'],
    ['a broken octet among others', '=?utf-8?Q?M=C3=B8te_p=C3=A5_=FF_=C3=B8?=', 'Møte på \ufffd ø'],
    ['what is none', '=?utf-8?Q?a', '=?utf-8?Q?a'],
    ['between other words', 'Re: =?utf-8?q?=C3=A5?= ut', 'Re: å ut'],
  ])('[MAIL-4] The encoded words of a subject are read: %s', (_name, value, subject) => {
    expect(mailOf(rawMail([`Subject: ${value}`])).subject).toBe(subject);
  });

  test('[MAIL-3] A group in the From field is found, and so is a second From field', async () => {
    const { from } = mailOf(
      rawMail(['From: People: b@two.example, "C, D" <c@three.example>;', 'From: a@one.example']),
      false,
    );
    expect(from.mailboxes.map(({ domain }) => domain)).toEqual(['two.example', 'three.example']);
    expect(from).toMatchObject({ fields: 2, hasGroup: true });
  });

  test.each([
    ['none', []],
    ['two', ['Message-ID: <1@a.example>', 'Message-ID: <2@a.example>']],
    ['one without brackets', ['Message-ID: 1@a.example']],
  ])('[MAIL-4] A Message-ID that does not identify one e-mail counts as none: %s', async (_name, header) => {
    expect(mailOf(rawMail(header)).messageId).toBeUndefined();
  });
});

const plain = { type: 'text/plain; charset=utf-8', content: 'Plain' } as const;
const page = { type: 'text/html; charset=utf-8', content: '<p>Page</p>' } as const;
const pdf = { type: 'application/pdf; name=a.pdf', encoding: 'base64', content: 'none' } as const;

describe('parts', () => {
  test.each([
    ['plain text before a page', multipart('alternative', [plain, page]), 'Plain'],
    ['whichever comes first', multipart('alternative', [page, plain]), 'Plain'],
    [
      'the page when the text is blank',
      multipart('alternative', [{ ...plain, content: ' \u00a0\n' }, page]),
      'Page',
    ],
    [
      'text beside an attachment',
      multipart('mixed', [pdf, multipart('alternative', [plain, page])]),
      'Plain',
    ],
    [
      'a page with its pictures',
      multipart('related', [page, { type: 'image/png', encoding: 'base64', content: 'x' }]),
      'Page',
    ],
    [
      'text around an attachment',
      multipart('mixed', [plain, pdf, { ...plain, content: 'More' }]),
      'Plain\n\nMore',
    ],
    [
      'no text that is attached',
      multipart('mixed', [plain, { ...plain, disposition: 'attachment; filename=a.txt', content: 'File' }]),
      'Plain',
    ],
    [
      'no text that has a file name',
      multipart('mixed', [plain, { ...plain, type: 'text/plain; name=a.txt' }]),
      'Plain',
    ],
    [
      'what is signed',
      multipart('signed; protocol="application/pgp-signature"', [
        plain,
        { type: 'application/pgp-signature', content: 'none' },
      ]),
      'Plain',
    ],
    ['an e-mail that has a file name as a whole', { ...plain, type: 'text/plain; name=a.txt' }, 'Plain'],
    [
      'the page that is named, among pictures',
      {
        type: 'multipart/related; boundary=r; start="<main>"',
        content: '--r\n\nOther\n--r\nContent-ID: <main>\nContent-Type: text/html\n\nPage\n--r--',
      },
      'Page',
    ],
    [
      'no calendar',
      multipart('mixed', [plain, { type: 'text/calendar', content: 'BEGIN:VCALENDAR' }]),
      'Plain',
    ],
  ])('[MAIL-4] The text that a person sees is read from an e-mail: %s', async (_name, part, text) => {
    expect(await textOf(encodedMail(part))).toBe(text);
  });

  test('[MAIL-4] An e-mail within an e-mail is not part of its text', async () => {
    const inner = { type: 'message/rfc822', content: 'Subject: Inner\r\n\r\nInner' };
    const beside = mailOf(encodedMail(multipart('mixed', [plain, inner])));
    expect(beside.text).toMatchObject({ text: 'Plain', cut: ['forward'], whyEmpty: undefined });
    const alone = mailOf(encodedMail(inner));
    expect(alone.text).toMatchObject({ text: '', whyEmpty: 'contains only a forwarded e-mail' });
  });

  test.each([
    [
      'encrypted',
      { type: 'application/pkcs7-mime; smime-type=enveloped-data', content: 'x' },
      'is encrypted',
    ],
    ['an attachment only', pdf, 'contains no text'],
    ['nothing', { ...plain, content: '' }, 'contains no text'],
    ['only a signature', { ...plain, content: '-- \nKari' }, 'contains only a signature'],
    ['only a quotation', { ...plain, content: '> What?' }, 'contains only quoted text'],
  ])('[MAIL-4] An e-mail of which no text is left says why: %s', async (_name, part, whyEmpty) => {
    expect(mailOf(encodedMail(part)).text).toMatchObject({ text: '', whyEmpty });
  });

  test('[MAIL-4] Mail parts without an end, without a header, or with delimiters of the wrong level are read', async () => {
    const head = [...usualHeader, 'Content-Type: multipart/mixed; boundary=out'];
    expect(await textOf(rawMail(head, '--out\n\nOne\n--out\nNo header here\n\nTwo'))).toBe('One\n\nTwo');
    expect(await textOf(rawMail(head, 'before\n--out \n\nOne\n--outer\nstill\n--out--\nbehind'))).toBe(
      'One\n--outer\nstill',
    );
    const nested =
      '--out\nContent-Type: multipart/alternative; boundary=in\n\n--in\n\nIn\n--out\n\nOut\n--out--\n';
    expect(await textOf(rawMail(head, nested))).toBe('In\n\nOut');
  });
});

describe('what nobody sees', () => {
  test.each([
    ['runs of blank lines', 'a\n\n\n \n\t\nb\n\n', 'a\n\nb'],
    ['space at the ends of lines', 'a  \nb\t\n', 'a\nb'],
    ['control characters', 'a\u0000\u0007b\u009fc', 'abc'],
    ['characters without width', 'a\u200bb\u00adc\u2060d\ufeffe\u200cf\u200dg\u200eh\ufe0f', 'abcdefgh'],
    ['other spaces', 'a\u00a0b\u2009c\u202fd', 'a b c d'],
    ['joiners stay in emoji', '👩\u200d🚒 ❤\ufe0f', '👩\u200d🚒 ❤\ufe0f'],
    ['joiners and marks stay where letters need them', 'می\u200cخواهم \u200fא', 'می\u200cخواهم \u200fא'],
  ])('[MAIL-4] What nobody sees in the text of an e-mail is left out: %s', async (_name, written, text) => {
    expect(await textOf(plainMail(written))).toBe(text);
  });
});

/** Ordinary text, with no line that could be taken for a mark. */
const words = fc
  .array(fc.constantFrom('Møt', 'kl.', '10', 'opp', 'i dag', 'ok', 'Hvem', 'kommer?', 'ÅÆØ', '€5', '😀'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((all) => all.join(' '));
const composed = fc
  .array(fc.oneof({ weight: 4, arbitrary: words }, fc.constant('')), { minLength: 1, maxLength: 6 })
  .map((lines) =>
    lines
      .join('\n')
      .trim()
      .replace(/\n{3,}/g, '\n\n'),
  )
  .filter((text) => text !== '');
const trailers = fc.constantFrom(
  '\n\nOn Mon, Jun 3, 2024 at 10:00 AM Ola Nordmann <ola@care.example> wrote:\n\n> Who comes?\n> \n> -- \n> Ola\n',
  '\n\nDen mån 3 juni 2024 kl 10:00 skrev Ola Nordmann <\nola@care.example>:\n\n> Vem kommer?\n',
  '\n\n________________________________\nFrån: Ola Nordmann <ola@care.example>\nSkickat: den 3 juni 2024 10:00\nTill: Kari\nÄmne: Pass\n\nVem kommer?\n',
  '\n\n-----Original Message-----\nFrom: Ola\n\nWho comes?\n',
  '\n\n-- \nKari Nordmann\nCare AS\n',
  '\n\nSent from my iPhone\n\n> On 3 Jun 2024, at 10:00, Ola Nordmann <ola@care.example> wrote:\n> \n> Who comes?\n',
);

describe('for whatever is written', () => {
  test('[MAIL-4] An e-mail’s text with a quoted reply or a signature after it comes back as it was written', async () => {
    await assertRuns(
      fc.asyncProperty(composed, fc.array(trailers, { maxLength: 2 }), async (text, behind) => {
        expect(await textOf(plainMail(text + behind.join(''), answerHeader))).toBe(text);
      }),
      300,
    );
  });

  test('[MAIL-4] The text of an HTML e-mail, even with a quoted reply after it, comes back as it was written', async () => {
    const quoted = '<blockquote type="cite"><div>On 3 Jun 2024 Ola wrote:</div>Who comes?</blockquote>';
    await assertRuns(
      fc.asyncProperty(composed, fc.constantFrom('', quoted), async (text, behind) => {
        const html = text.replaceAll('\n', '<br>\n');
        expect(await textOf(htmlMail(`<html><body><div>${html}</div>${behind}</body></html>`))).toBe(text);
      }),
      200,
    );
  });

  test('[MAIL-4] Reading random octets or damaged e-mails never throws', async () => {
    const whole = encodedMail(
      multipart('mixed', [
        multipart('alternative', [plain, page]),
        pdf,
        { ...page, encoding: 'quoted-printable' },
      ]),
    );
    const damaged = fc
      .tuple(fc.nat(whole.length), fc.nat(40), fc.uint8Array({ maxLength: 40 }))
      .map(([at, removed, octets]) =>
        Buffer.concat([whole.subarray(0, at), octets, whole.subarray(Math.min(whole.length, at + removed))]),
      );
    const random = fc.uint8Array({ maxLength: 400 }).map((octets) => Buffer.from(octets));
    await assertRuns(
      fc.asyncProperty(fc.oneof(damaged, random), async (octets) => {
        const mail = mailOf(octets);
        expect((mail.text.text === '') === (mail.text.whyEmpty !== undefined)).toBe(true);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may come out.
        expect(mail.text.text + mail.subject).not.toMatch(/[\0-\x09\x0B-\x1F\x7F-\x9F\u00A0\u200B\uFEFF]/);
      }),
      1_500,
    );
  });
});
