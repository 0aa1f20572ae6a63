/**
 * windows-1252, which is what senders mean by Latin-1. The Encoding Standard (WHATWG, "latin1" in its table of labels)
 * reads both the same way. Instead of the control characters 0x80 to 0x9F, which no text contains, windows-1252 has the
 * euro, dashes and curved quotation marks. The platform's decoder is not used, because Node 20's decoder leaves these
 * out.
 */

/** From 0x80 to 0x9F (Encoding Standard, index windows-1252). Five of them are still control characters. */
const signs = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

const everyControl = /[\x80-\x9f]/g;

/** Converts a text in which each character is an octet. */
export function asWindows1252(octets: string): string {
  return octets.replace(everyControl, (octet) => signs.charAt(octet.charCodeAt(0) - 0x80));
}
