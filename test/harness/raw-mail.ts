/** Writes e-mails for tests, octet by octet where that matters. */
import { readHeader } from '../../src/wire/mail/header-fields.ts';
import { type Mail, readMail } from '../../src/wire/mail/read-mail.ts';

export interface RawPart {
  readonly type: string;
  readonly encoding?: 'base64' | 'quoted-printable' | '8bit';
  readonly disposition?: string;
  readonly content: string | Buffer;
}

/** An e-mail from header lines and a body, with SMTP's line ends. */
export function rawMail(header: readonly string[], body: string | Buffer = ''): Buffer {
  const head = ['MIME-Version: 1.0', ...header, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head), Buffer.isBuffer(body) ? body : Buffer.from(crlf(body))]);
}

export const usualHeader: readonly string[] = [
  'From: Kari Nordmann <kari@care.example>',
  'To: 4790000000@sms.example',
  'Subject: Shift',
  'Message-ID: <1@care.example>',
  'Date: Mon, 03 Jun 2024 10:00:00 +0200',
];

/** The header of an e-mail that answers another one and may quote it. */
export const answerHeader: readonly string[] = [...usualHeader, 'In-Reply-To: <0@sms.example>'];

export function plainMail(text: string, header: readonly string[] = usualHeader): Buffer {
  return rawMail(
    [...header, 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'],
    text,
  );
}

export function htmlMail(html: string, header: readonly string[] = usualHeader): Buffer {
  return rawMail([...header, 'Content-Type: text/html; charset=utf-8'], html);
}

/** An e-mail with one part, in the part's encoding. */
export function encodedMail(part: RawPart): Buffer {
  return rawMail([...usualHeader, ...partHeader(part)], encoded(part));
}

let boundaries = 0;

/** A multipart part, for use in an e-mail or inside another part. */
export function multipart(kind: string, parts: readonly RawPart[]): RawPart {
  boundaries += 1;
  const boundary = `----=_Part_${boundaries}`;
  const pieces = parts.map((part) =>
    Buffer.concat([Buffer.from(`--${boundary}\r\n${partHeader(part).join('\r\n')}\r\n\r\n`), encoded(part)]),
  );
  const content = pieces.flatMap((piece) => [piece, Buffer.from('\r\n')]);
  return {
    type: `multipart/${kind}; boundary="${boundary}"`,
    encoding: '8bit',
    content: Buffer.concat([...content, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

function partHeader({ type, encoding, disposition }: RawPart): string[] {
  return [
    `Content-Type: ${type}`,
    ...(encoding === undefined ? [] : [`Content-Transfer-Encoding: ${encoding}`]),
    ...(disposition === undefined ? [] : [`Content-Disposition: ${disposition}`]),
  ];
}

function encoded({ encoding, content }: RawPart): Buffer {
  const octets = Buffer.isBuffer(content) ? content : Buffer.from(crlf(content));
  if (encoding === 'base64') return Buffer.from(octets.toString('base64').replace(/.{76}/g, '$&\r\n'));
  if (encoding !== 'quoted-printable') return octets;
  const lines = octets.toString('latin1').split('\r\n');
  return Buffer.from(lines.map(quotedPrintableLine).join('\r\n'));
}

function quotedPrintableLine(line: string): string {
  const hex = (character: string) =>
    `=${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  const safe = line.replace(/[^ -<>-~]/g, hex).replace(/ $/, '=20');
  return safe.replace(/(.{1,72})(?![0-9A-F]?$)(?=.)(?<!=.?)/g, '$1=\r\n');
}

export function crlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** Reads the e-mail without pauses. */
export function mailOf(octets: Uint8Array, hasNullReturnPath = false, mailCut: readonly string[] = []): Mail {
  return runToEnd(readMail(octets, readHeader(octets), hasNullReturnPath, mailCut));
}

export function runToEnd<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
