/** Building blocks of e-mails that may make some step slow, for the search in `worst-mail.ts`. */

export type Tokens = readonly [string, ...string[]];

export const frames: readonly [readonly string[], ...(readonly string[])[]] = [
  ['Content-Type: text/plain; charset=utf-8'],
  ['Content-Type: text/plain', 'Content-Transfer-Encoding: quoted-printable'],
  ['Content-Type: text/plain', 'Content-Transfer-Encoding: base64'],
  ['Content-Type: text/plain; format=flowed; delsp=yes'],
  ['Content-Type: text/html'],
  ['Content-Type: text/html; charset=utf-7', 'Content-Transfer-Encoding: quoted-printable'],
  ['Content-Type: multipart/mixed; boundary=b'],
  ['Content-Type: multipart/alternative; boundary=b'],
  ['Content-Type: text/plain; charset=utf-7'],
  ['Content-Type: text/plain; charset=iso-2022-jp'],
  ['Content-Type: text/plain; charset=gb18030'],
  ['Content-Type: text/html; charset=windows-1252'],
];

/** A well-formed signature from the sender's domain with a key that does not exist. */
export const signature =
  '\r\nDKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=care.example; s=s1; h=from:subject:x; bh=eA==; b=eA==';

export const headerTokens: Tokens = [
  ...([
    '\r\nFrom: ',
    '\r\nTo: ',
    '\r\nSubject: ',
    '\r\nX: ',
    '\r\nPrecedence: ',
    '\r\nReturn-Path: ',
  ] as const),
  ...['\r\nContent-Type: ', '\r\nDKIM-Signature: ', signature, '\r\nAuto-Submitted: no', '\r\nDate: '],
  ...['\r\n ', '\r\n\t', ' ', '\t', '<', '>', '"', '(', ')', '\\', '@', '.', ',', ';', ':', '=', '-', 'a'],
  ...['a@b.example', '=?utf-8?q?', '=?x?b?', '?=', 'x=1; ', '\0', '\xff', '\xc3', '\r\n\r', 'b=c;'],
];

/** Repeated white space trips regular expressions that look for line ends. */
const commonTokens: Tokens = [
  ...([
    '\t',
    ' ',
    '\n',
    '\r\n',
    '<',
    '>',
    '"',
    '&',
    '=',
    '-',
    ':',
    '_',
    'a',
    'x\n',
    '\0',
    '\xa0',
    '(',
  ] as const),
  ...['\xff', '\xc3\xa9', '\xe2\x80\x8b', '\xf0\x9f\x98\x80', '@', '2024', '10:00', '\r', '/', '.', '+', ')'],
  ...['\t', '\t', '\t', ' ', ' ', ' ', '\n', '\n'],
];

const plainTokens: Tokens = [
  ...(['x\n-----Original Message-----\n', '\n-----Original Message-----\n', '\nFrom: ', '\nTo: '] as const),
  ...[
    '\nSubject: a',
    '\n*Sent:*',
    ' wrote:\n',
    '\n-- \n',
    '\n--\n',
    'On 2024-01-01 10:00, a@b.example wrote:',
  ],
  ...[
    '\nOn ',
    '\n> ',
    '\n>',
    'skrev',
    '<a@b>:',
    '\nSent from my iPhone',
    '\n____\n',
    ':\n',
    'www.',
    '://',
    '>:',
  ],
  ...['=\r\n', '=41', '=4', 'A=', '+AGE-', '\x1b$B', '\x81', '\x0e', '~{', 'a b '],
  ...[
    'x\n---------- Forwarded message ---------\n',
    'x\n-- \n',
    'x\nOn 2024-01-01 Ola <a@b.example> wrote:\n> a\n',
  ],
];

const pageTokens: Tokens = [
  ...([
    '<div>',
    '</div>',
    '<b>',
    '</b>',
    '<i>',
    '</i>',
    '<br>',
    '<p>',
    '<p style="margin:0">',
    '</p>',
  ] as const),
  ...[
    '<a href="http://a">',
    '<blockquote type="cite">',
    '</blockquote>',
    '</a>',
    '<td>',
    '<li>',
    '<pre>',
    '</pre>',
  ],
  ...['<!--', '-->', '<b ', '<style>', '</style>', '<script>', '<title>', 'x=y ', 'style="', 'class="a b"'],
  ...['<img alt="', '<![CDATA[', '<?', '&#x', '&amp;', '&#x26;', '&am', '<svg>', '<a href="', "'", '/>'],
];

const partTokens: Tokens = [
  ...([
    '\r\n--',
    '\r\n--b\r\n',
    '\r\n--b--\r\n',
    '\r\n--b',
    '--c\r\n',
    '\r\n\r\n',
    'X: y\r\n',
    '\r\n ',
  ] as const),
  ...['Content-Type: multipart/mixed; boundary=c\r\n', 'Content-Type: multipart/mixed; boundary=b\r\n'],
  ...['Content-Type: text/html\r\n\r\n', 'Content-Type: text/plain\r\n\r\n', 'Content-Type: ', 'a="', ';'],
  ...['Content-Disposition: attachment; filename=x\r\n', 'Content-Transfer-Encoding: base64\r\n'],
];

/** All tokens, but mostly those that have a meaning in this kind of text. */
export function bodyTokensOf(frame: readonly string[]): Tokens {
  const type = frame[0] ?? '';
  if (type.includes('multipart')) return [...partTokens, ...commonTokens, ...plainTokens, ...pageTokens];
  return type.includes('html') ? [...pageTokens, ...commonTokens] : [...plainTokens, ...commonTokens];
}
