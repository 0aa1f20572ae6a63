/**
 * Writes a request as bytes, with its framing right or deliberately wrong, and as a command that a person can repeat.
 */
import type { FuzzRequest } from './requests.ts';

export interface WireForm {
  readonly bytes: Buffer;
  /** True if the request asks to close the connection or its framing is wrong, so nothing can follow it there. */
  readonly isLast: boolean;
  /** True if the server expects more bytes than are sent, so the sender has to end its side. */
  readonly isCutOff: boolean;
}

export function wireForm({ method, target, version, headers, framing, body }: FuzzRequest): WireForm {
  const lines = [`${method} ${target} ${version}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  const { length } = body;
  let sent = body;
  switch (framing) {
    case 'none':
      break;
    case 'length':
      lines.push(`Content-Length: ${length}`);
      break;
    case 'short length':
      lines.push(`Content-Length: ${Math.floor(length / 2)}`);
      break;
    case 'long length':
      lines.push(`Content-Length: ${length + 7}`);
      break;
    case 'two lengths':
      lines.push(`Content-Length: ${length}`, `Content-Length: ${length + 1}`);
      break;
    case 'negative length':
      lines.push(`Content-Length: -${length + 1}`);
      break;
    case 'chunked':
      lines.push('Transfer-Encoding: chunked');
      sent = chunked(body);
      break;
    case 'broken chunks':
      lines.push('Transfer-Encoding: chunked');
      sent = Buffer.concat([Buffer.from('xyz\r\n'), body]);
      break;
    case 'length beside chunks':
      lines.push(`Content-Length: ${length}`, 'Transfer-Encoding: chunked');
      sent = chunked(body);
      break;
  }
  const isFramed = framing === 'length' || framing === 'chunked' || (framing === 'none' && length === 0);
  // After an Upgrade offer, Node does not respond to malformed input on the same connection.
  const asksToClose = headers.some(
    ([name, value]) => name === 'Upgrade' || (name === 'Connection' && value === 'close'),
  );
  return {
    bytes: Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), sent]),
    isLast: !isFramed || version !== 'HTTP/1.1' || asksToClose,
    isCutOff: framing === 'long length',
  };
}

/** Splits the body into a few chunks, the first with an extension. */
function chunked(body: Buffer): Buffer {
  const size = Math.max(1, Math.ceil(body.length / 3));
  const pieces: Buffer[] = [];
  for (let start = 0; start < body.length; start += size) {
    const piece = body.subarray(start, start + size);
    const extension = start === 0 ? ';name="value"' : '';
    pieces.push(Buffer.from(`${piece.length.toString(16)}${extension}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

const shownBytes = 4_000;

/** A shell command that sends the same bytes; a long request can be repeated only by its seed. */
export function repeatable(request: FuzzRequest): string {
  const { bytes } = wireForm(request);
  const shown = bytes.subarray(0, shownBytes);
  const text = [...shown].map((byte) => escapedByte(byte)).join('');
  const rest = bytes.length - shown.length;
  return `printf '${text}'${rest === 0 ? '' : ` # and ${rest} bytes more`} | nc -q 2 127.0.0.1 8080`;
}

function escapedByte(byte: number): string {
  if (byte === 0x0d) return '\\r';
  if (byte === 0x0a) return '\\n';
  const isPlain = byte >= 0x20 && byte < 0x7f && !`'\\%`.includes(String.fromCharCode(byte));
  return isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
}
