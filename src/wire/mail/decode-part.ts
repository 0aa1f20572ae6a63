/** Decodes a part that holds text: transfer encoding, character set, soft line breaks. */
import PostalMime from 'postal-mime';
import { decodeText } from './charset.ts';
import { firstToken } from './content-type.ts';
import { unflow } from './flowed.ts';
import { fieldValue } from './header-fields.ts';
import type { Part } from './parts.ts';

/** Hundreds of the longest SMS; what pages bring along may stand in front of theirs. */
export const maxEncodedOctets = 2 * 1024 * 1024;

export async function decodePart(part: Part): Promise<string> {
  const encoding = firstToken(fieldValue(part.header, 'content-transfer-encoding'));
  const octets = await transferDecoded(part.body.subarray(0, maxEncodedOctets), encoding);
  const text = decodeText(octets, part.contentType.parameter('charset') ?? labelInPage(part, octets));
  const isFlowed =
    part.contentType.type === 'text/plain' &&
    part.contentType.parameter('format')?.trim().toLowerCase() === 'flowed';
  if (!isFlowed) return text;
  return unflow(text, part.contentType.parameter('delsp')?.trim().toLowerCase() === 'yes');
}

/** HTML may say it itself, near its beginning (HTML 4.2.5.4). */
function labelInPage(part: Part, octets: Uint8Array): string | undefined {
  if (part.contentType.type !== 'text/html') return undefined;
  const beginning = Buffer.from(octets.subarray(0, 1_024)).toString('latin1');
  return /<meta[^>]{0,200}\bcharset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(beginning)?.[1];
}

/**
 * postal-mime forgives what programs do wrong in base64 and quoted-printable. It gets the part as octets of no known
 * type, so that it leaves their character set to us.
 */
async function transferDecoded(body: Uint8Array, encoding: string): Promise<Uint8Array> {
  if (encoding !== 'base64' && encoding !== 'quoted-printable') return body;
  const head = `Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
  const { attachments } = await PostalMime.parse(Buffer.concat([Buffer.from(head), body]));
  const content = attachments[0]?.content;
  return content instanceof ArrayBuffer ? new Uint8Array(content) : new Uint8Array();
}
