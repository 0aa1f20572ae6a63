/** Tests e-mails that programs, gateways and web sites have altered on the way. */
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

const textOf = (octets: Buffer) => mailOf(octets).text;

const form =
  'From: Kari Nordmann <kari@fjord.example>\nDate: 25 November 2026 22:10\nTo: Harbour office\nSubject: Berth 7';

describe('an e-mail that is not a reply is read whole', () => {
  const written = [
    `New message from the web site\n\n${form}\nMessage: The fender is loose`,
    `${form}\n\nThe fender is loose`,
    'Von: Kari\nDatum: 25.11.2026\nAn: Hafen\nBetreff: Liegeplatz 7\n\nDer Fender ist lose',
    'On 25 November 2026 at 22:10 Kari Nordmann <kari@fjord.example> wrote:\nThe fender is loose',
  ];
  test.each(written)('[MAIL-4] The text of an e-mail that is not a reply is read whole: %j', (text) => {
    expect(textOf(plainMail(text))).toMatchObject({ text, cut: [] });
    const html = text.replaceAll('<', '&lt;').replaceAll('\n', '<br>');
    expect(textOf(htmlMail(`<div>${html}</div>`))).toMatchObject({ text, cut: [] });
  });

  test.each([
    'In-Reply-To: <1@sms.example>',
    'References: <1@sms.example>',
    ...['Re: Berth', 'SV: Berth', 'AW: Berth', 'Fwd: Berth', 'WG: Berth', 'RE[2]: Berth'].map(
      (subject) => `Subject: ${subject}`,
    ),
    'Subject: =?utf-8?Q?[oncall]_R=C3=A9p=3A_Berth?=',
    'Subject: 回复：Berth',
  ])('[MAIL-4] An e-mail that is copied below an answer or a forward is cut: %s', (field) => {
    const header = ['From: Kari <kari@care.example>', field];
    expect(textOf(plainMail(`Seen.\n\n${form}\n\nThe fender is loose`, header))).toMatchObject({
      text: 'Seen.',
      cut: ['history'],
    });
  });
});

test('[MAIL-4] Outlook’s line of underscores marks a copied e-mail in any e-mail, and no other line of signs does', () => {
  const copy = `${form}\n\nThe fender is loose`;
  expect(textOf(plainMail(`Seen.\n\n${'_'.repeat(32)}\n${copy}`)).text).toBe('Seen.');
  for (const rule of ['_'.repeat(40), '-'.repeat(32), '='.repeat(32)])
    expect(textOf(plainMail(`From the web site\n${rule}\n${copy}`)).text).toContain('The fender is loose');
});

describe('OpenPGP within the text', () => {
  const signature = '-----BEGIN PGP SIGNATURE-----\n\niQEzBAEBCAAdFiEE\n=aB1c\n-----END PGP SIGNATURE-----\n';
  const signed = (text: string, headers = 'Hash: SHA256\n\n') =>
    `-----BEGIN PGP SIGNED MESSAGE-----\n${headers}${text}\n${signature}`;

  test.each([
    ['a text', signed('Pump 3\nstopped'), 'Pump 3\nstopped'],
    ['several armor headers', signed('Come', 'Hash: SHA1, SHA256\nComment: x\n\n'), 'Come'],
    ['no armor header', signed('Come', '\n'), 'Come'],
    ['no empty line', signed('Come', 'Hash: SHA256\n'), 'Come'],
    ['a first line like an armor header', signed('Hash: is what we eat'), 'Hash: is what we eat'],
    ['lines that begin with a hyphen', signed('Bring\n- - gloves\n- - boots'), 'Bring\n- gloves\n- boots'],
    ['any line escaped', signed('- From here'), 'From here'],
    ['a signature of the sender', signed('Come\n- -- \nKari'), 'Come'],
    ['a copy of an earlier e-mail', signed('Come\n\n- -----Original Message-----\nFrom: Ola'), 'Come'],
    ['a quotation', signed('Come\n\nOla wrote:\n> - -----BEGIN PGP MESSAGE-----\n> x'), 'Come'],
    ['a signature that was cut off', signed('Come').slice(0, -30), 'Come'],
    ['what stands around it', `Hi\n${signed('Come')}\nnow`, 'Hi\nCome\n\nnow'],
    ['two of them', `${signed('One')}${signed('Two')}`, 'One\nTwo'],
  ])('[MAIL-4] The signed text of an OpenPGP e-mail is read: %s', (_name, written, text) => {
    expect(textOf(plainMail(written)).text).toBe(text);
    expect(textOf(plainMail(written.replaceAll('\n', '\r\n'))).text).toBe(text);
  });

  const armor = '-----BEGIN PGP MESSAGE-----\nVersion: 1\n\nhQEMA0\n=aB1c\n-----END PGP MESSAGE-----';
  const plain = { type: 'text/plain', content: 'Plain' };
  const octets = { type: 'application/octet-stream; name=encrypted.asc', content: armor };
  test.each([
    ['a block', plainMail(armor)],
    ['a block below words', plainMail(`See:\n\n${armor}\n\nKari`)],
    ['one of several parts', plainMail(armor.replace('MESSAGE-', 'MESSAGE, PART 1/2-'))],
    ['PGP/MIME', encodedMail(multipart('encrypted; protocol="application/pgp-encrypted"', [octets]))],
    ['PGP/MIME below a list', encodedMail(multipart('mixed', [multipart('encrypted', [octets]), plain]))],
    [
      'PGP/MIME by way of Exchange',
      encodedMail(multipart('mixed', [plain, { ...octets, type: 'application/pgp-encrypted' }, octets])),
    ],
    ['S/MIME', encodedMail({ type: 'application/pkcs7-mime; smime-type=Enveloped-Data', content: 'x' })],
    ['S/MIME by its name', encodedMail({ type: 'application/octet-stream; name=smime.p7m', content: 'x' })],
  ])('[MAIL-4] An e-mail with encrypted text is reported as encrypted: %s', (_name, mail) => {
    expect(textOf(mail)).toMatchObject({ text: '', whyEmpty: 'is encrypted', isEncrypted: true });
  });

  test('[MAIL-4] Encrypted text in the e-mail that is answered does not stop the answer from being read', () => {
    for (const earlier of [
      `Ola wrote:\n> ${armor.replaceAll('\n', '\n> ')}`,
      `-----Original Message-----\n${armor}`,
    ])
      expect(textOf(plainMail(`Yes.\n\n${earlier}`, answerHeader))).toMatchObject({
        text: 'Yes.',
        whyEmpty: undefined,
      });
    const isSigned = { type: 'application/pkcs7-mime; smime-type=signed-data', content: 'x' };
    expect(textOf(encodedMail(isSigned)).whyEmpty).toBe('contains no text');
  });
});

describe('character sets in which octets change the meaning of later ones', () => {
  const body = (charset: string, octets: string) =>
    textOf(
      rawMail(
        [...usualHeader, `Content-Type: text/plain; charset=${charset}`],
        Buffer.from(octets, 'latin1'),
      ),
    ).text;
  const esc = '\x1b';

  test.each([
    [
      'two escapes in a row',
      'iso-2022-jp',
      `${esc}$B6[5^${esc}(B${esc}$BO"Mm${esc}(B come to pier 7`,
      '緊急連絡 come to pier 7',
    ],
    ['many escapes in a row', 'ISO-2022-JP', `${esc}(B${esc}$@${esc}$B6[5^${esc}(J${esc}(B!`, '緊急!'],
    ['an escape at the end', 'iso-2022-jp', `${esc}$B6[5^`, '緊急'],
    ['a line that does not return', 'iso-2022-jp', `${esc}$B6[5^\r\nnow`, '緊急\nnow'],
    ['a name of Microsoft', 'cp50221', `${esc}$B-!6[5^${esc}(B`, '①緊急'],
    ['Korean', 'iso-2022-kr', `${esc}$)C\r\n\x0e1d1^\x0f now`, '긴급 now'],
    ['Chinese', 'hz-gb-2312', '~{=t<1~} now ~~5', '紧急 now ~5'],
  ])('[MAIL-4] A text in a character set with escapes is decoded: %s', (_name, charset, octets, text) => {
    expect(body(charset, octets)).toBe(text);
  });

  const words = (charset: string, ...octets: readonly string[]) =>
    octets.map((one) => `=?${charset}?B?${Buffer.from(one, 'latin1').toString('base64')}?=`).join('\r\n ');
  test.each([
    ['=?ISO-2022-JP?B?GyRCNls1XhsoQg==?=\r\n =?ISO-2022-JP?B?GyRCNls1XhsoQg==?=', '緊急緊急'],
    [words('iso-2022-jp', `${esc}$B6[`, `5^${esc}(B`), '緊急'],
    [words('iso-2022-kr', '\x0e1d1^\x0f', 'now'), '긴급now'],
    [words('iso-2022-kr', '\x0e1d1^', 'now'), '긴급now'],
    [words('utf-7', 'M+APg', 'te'), 'Møte'],
    [words('shift_jis', '\x8b', '\xd9'), '緊'],
  ])('[MAIL-4] The encoded words of a subject are decoded together: %j', (value, subject) => {
    expect(mailOf(rawMail([`Subject: ${value}`])).subject).toBe(subject);
  });
});

describe('a boundary whose parameter was folded', () => {
  const delimiter = '=_alternative 0031AB42C1258A11_=';
  test.each([
    ['by a tab for its space', `"=_alternative\r\n\t0031AB42C1258A11_="`, delimiter],
    ['by a space', `"=_alternative\r\n 0031AB42C1258A11_="`, delimiter],
    ['by both', `"=_alternative \r\n\t0031AB42C1258A11_="`, delimiter],
    [
      'by a tab, which stands in the body too',
      `"=_alternative\r\n\t0031AB42C1258A11_="`,
      delimiter.replace(' ', '\t'),
    ],
    ['for nothing', `"=_alternative\r\n\t0031AB42C1258A11_="`, delimiter.replace(' ', '')],
    ['in front', `"\r\n\t=_alternative0031AB42C1258A11_="`, delimiter.replace(' ', '')],
    ['before its quotation mark', `\r\n\t"=_alternative 0031AB42C1258A11_="`, delimiter],
  ])(
    '[MAIL-4] A boundary whose parameter was folded %s still separates the parts of an e-mail',
    (_name, parameter, real) => {
      const written = `--${real}\nContent-Type: text/plain\n\nPump 3\n--${real}\nContent-Type: text/html\n\n<p>Page\n--${real}--\n`;
      const mail = rawMail(
        [...usualHeader, `Content-Type: multipart/alternative; boundary=${parameter}`],
        written,
      );
      expect(textOf(mail).text).toBe('Pump 3');
    },
  );
});

test('[MAIL-4] Lines that a company names are cut from e-mails, and in the last third with everything that follows', () => {
  const cut = ['This mail comes from outside', 'Confidential:'];
  const textOfCut = (text: string) => mailOf(plainMail(text), false, cut).text;
  const long = `Confidential: ${'only for whom it is meant. '.repeat(30)}`;
  expect(
    textOfCut(`This  mail comes from OUTSIDE. Take care.\n\nPump 3\nhas\nstopped\n\n${long}\nPage 2`),
  ).toMatchObject({
    text: 'Pump 3\nhas\nstopped',
    cut: ['gateway'],
  });
  expect(textOfCut('Pump 3\nThis mail comes from outside\nhas\nstopped').text).toBe('Pump 3\nhas\nstopped');
  expect(textOfCut('It is confidential: Pump 3').text).toBe('It is confidential: Pump 3');
  expect(textOfCut(long).whyEmpty).toMatch(/added by mail gateways/);
});

describe('quotations', () => {
  test.each([
    ...['On Monday, 16 November 2026 at 09:12, Kari Nordmann said:', 'Kari Nordmann replied:'],
    ...['Den 16 november 2026 sa Kari Nordmann:', 'Kari Nordmann svarte 16.11.2026 09:12:'],
    ...['Den 16. november 2026 kl. 09.12 sagde Kari Nordmann:', 'Kari Nordmann sanoi 16.11.2026:'],
    ...['Am 16.11.2026 um 09:12 sagte Kari Nordmann:', 'Le 16 novembre 2026 à 09:12, Kari Nordmann a dit :'],
    ...[
      'El 16/11/2026, Kari Nordmann dijo:',
      'Em 16/11/2026 09:12, Kari Nordmann disse:',
      'Kari Nordmann zei:',
    ],
    ...[
      'W dniu 16.11.2026 Kari Nordmann odpowiedziała:',
      '16.11.2026 09:12 Kari сказала:',
      '2026年11月16日 Kari说：',
    ],
  ])(
    '[MAIL-4] A line before a marked quotation that says who said or replied it is cut with it: %s',
    (line) => {
      expect(textOf(plainMail(`Coming\n\n${line}\n\n\n> Can you come?`))).toMatchObject({
        text: 'Coming',
        cut: ['quotation'],
      });
      // Without marks, it may be part of what the sender reports.
      expect(textOf(plainMail(`Look\n\n${line}\nno boats today`, answerHeader)).text).toContain(
        'no boats today',
      );
    },
  );

  test.each([
    ['> See https://fjord.example/berths/7?from=2026-11\n-25&to=2026-11-30\n> tomorrow'],
    ['> See https://fjord.example/a/very/long/address\n/of/a/page.html\n> tomorrow'],
    ['> <https://fjord.example/a/very/long/address-that\ngoeson> and more\n> tomorrow'],
    ['>> www.fjord.example/berths?id=\nn=123\n>> tomorrow'],
    ['> See https://fjord.example/berths/7?from=2026-11\n-25&to=2026-11-30 and tell me'],
  ])('[MAIL-4] The rest of a quoted link that lost its quotation mark counts as quoted: %j', (quotation) => {
    expect(textOf(plainMail(`Coming\n\nKari wrote:\n${quotation}`)).text).toBe('Coming');
  });

  test.each(['Yes', 'Not me', 'ok?', '7', 'Tomorrow at 9/10', 'Nei.', '9/10 of us'])(
    '[MAIL-4] An answer between quoted lines stays, also below a link: %s',
    (answer) => {
      const written = `> See https://fjord.example/berths\n${answer}\n> tomorrow`;
      expect(textOf(plainMail(written)).text).toBe(answer);
    },
  );
});
