/**
 * Seals stored secrets under a key that is derived from the server's secret: with a copy of the database alone, nobody can
 * connect to an SMSC or sign anything.
 *
 *   1.<base64url of nonce, tag, ciphertext>     AES-256-GCM, bound to the place where it is stored
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Where the secret belongs: the kind of object, its name, the field. */
export type SealedPlace = readonly string[];

const nonceBytes = 12;
const tagBytes = 16;

export class Sealing {
  readonly #key: Buffer;

  constructor(serverSecret: string) {
    // RFC 5869: `info` separates this key from others derived from the same secret. It was first used for carriers.
    this.#key = Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon carrier passwords 1', 32));
  }

  /** If the stored text already seals the same content it is kept, since each sealing produces a different text. */
  seal(text: string, place: SealedPlace, stored?: string): string {
    if (stored !== undefined && this.open(stored, place) === text) return stored;
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(boundTo(place));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
  }

  /** Undefined if the text was sealed under another secret or for another place, or is damaged. */
  open(sealed: string, place: SealedPlace): string | undefined {
    const [version, body = ''] = sealed.split('.');
    const bytes = Buffer.from(body, 'base64url');
    if (version !== '1' || bytes.length < nonceBytes + tagBytes) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
      .setAAD(boundTo(place))
      .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    try {
      const text = decipher.update(bytes.subarray(nonceBytes + tagBytes));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      // The cipher reports only that the tag does not match.
      return undefined;
    }
  }
}

function boundTo(place: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify(place));
}
