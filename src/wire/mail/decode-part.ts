/** Decodes a part that holds text: transfer encoding, character set, soft line breaks. */
import { decodeText } from './charset.ts';
import { firstToken } from './content-type.ts';
import { unflow } from './flowed.ts';
import { fieldValue } from './header-fields.ts';
import type { Part } from './parts.ts';
import { maxCharacters } from './reading-bounds.ts';
import { base64Decoded, quotedPrintableDecoded } from './transfer-encoding.ts';

/** Of its body so many octets. */
export function decodePart(part: Part, maxOctets: number): string {
  const octets = transferDecoded(part, part.body.subarray(0, maxOctets));
  const text = decodeText(octets, part.contentType.parameter('charset') ?? labelInPage(part, octets));
  const isFlowed =
    part.contentType.type === 'text/plain' &&
    part.contentType.parameter('format')?.trim().toLowerCase() === 'flowed';
  if (!isFlowed) return text;
  return unflow(
    text.slice(0, maxCharacters + 1),
    part.contentType.parameter('delsp')?.trim().toLowerCase() === 'yes',
  );
}

/** HTML may say it itself, near its beginning (HTML 4.2.5.4). */
function labelInPage(part: Part, octets: Uint8Array): string | undefined {
  if (part.contentType.type !== 'text/html') return undefined;
  const beginning = Buffer.from(octets.subarray(0, 1_024)).toString('latin1');
  for (const behind of beginning.split(/<meta/i).slice(1)) {
    const [tag = ''] = behind.split('>', 1);
    const label = /\bcharset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(tag)?.[1];
    if (label !== undefined) return label;
  }
  return undefined;
}

function transferDecoded({ header }: Part, body: Uint8Array): Uint8Array {
  switch (firstToken(fieldValue(header, 'content-transfer-encoding'))) {
    case 'base64':
      return base64Decoded(body);
    case 'quoted-printable':
      return quotedPrintableDecoded(body);
    default:
      return body;
  }
}
