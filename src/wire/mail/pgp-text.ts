/** Reads what OpenPGP puts around a text that stands in a mail as it is (RFC 4880). */
import type { Line } from './line-marks.ts';

const signedBegin = '-----BEGIN PGP SIGNED MESSAGE-----';
const signatureBegin = '-----BEGIN PGP SIGNATURE-----';
const signatureEnd = '-----END PGP SIGNATURE-----';

/** RFC 4880 6.2: a long one may come in parts. */
const encryptedBegin = /^-----BEGIN PGP MESSAGE(, PART \d{1,4}(\/\d{1,4})?)?-----$/;

/**
 * RFC 4880 7: of a signed text what its sender signed, without armor headers, signature and dash-escapes. What stands around
 * it stays, since it may be an answer too.
 */
export function withoutSignedArmor(lines: readonly Line[]): readonly Line[] {
  if (!lines.some((line) => isLine(line, signedBegin))) return lines;
  const kept: Line[] = [];
  let place: 'outside' | 'armor headers' | 'text' | 'signature' = 'outside';
  for (const line of lines) {
    if (place === 'signature') {
      if (isLine(line, signatureEnd)) place = 'outside';
    } else if (place === 'text' && isLine(line, signatureBegin)) {
      place = 'signature';
    } else if (isLine(line, signedBegin)) {
      place = 'armor headers';
    } else if (place === 'armor headers' && isArmorHeader(line)) {
      // The empty line behind the headers is none of the text.
      if (line.text.trim() === '') place = 'text';
    } else {
      if (place === 'armor headers') place = 'text';
      kept.push(place === 'text' ? unescaped(line) : line);
    }
  }
  return kept;
}

/** In what is left of a mail, so that one in a mail that was answered does not count. */
export function holdsEncrypted(texts: readonly string[]): boolean {
  return texts.some((text) => text.startsWith('-') && encryptedBegin.test(text.trimEnd()));
}

/** RFC 4880 6.2: white space behind it does no harm. Quoted ones are another's. */
function isLine({ text, kind }: Line, mark: string): boolean {
  return kind === 'own' && text.startsWith(mark) && text.trimEnd() === mark;
}

/** RFC 4880 6.2, such as `Hash: SHA256`; programs leave out the empty line, or the name of what they don't know. */
function isArmorHeader({ text }: Line): boolean {
  return text.trim() === '' || /^(Hash|Version|Comment|MessageID|Charset|NotDashEscaped):/i.test(text);
}

/** RFC 4880 7.1: any line may be escaped. */
function unescaped(line: Line): Line {
  return line.text.startsWith('- ') ? { ...line, text: line.text.slice(2) } : line;
}
