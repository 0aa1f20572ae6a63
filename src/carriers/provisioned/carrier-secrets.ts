/**
 * Passwords of carriers are stored encrypted under a key that comes from the server's secret: a copy of the database
 * alone opens no connection to an SMSC.
 *
 *   { "sealed": "1.<base64url of nonce, tag, ciphertext>" }     AES-256-GCM, bound to the carrier's name and the setting
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { type CarrierRecord, carrierTypes } from './carrier-record.ts';

type Described = Pick<CarrierRecord, 'name' | 'settings'> & { readonly type: string };
type Settings = CarrierRecord['settings'];

interface Sealed {
  readonly sealed: string;
}

const nonceBytes = 12;
const tagBytes = 16;

export class CarrierSecrets {
  readonly #key: Buffer;

  constructor(serverSecret: string) {
    // RFC 5869: `info` separates this key from others that come from the same secret.
    this.#key = Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon carrier passwords 1', 32));
  }

  /** A value that is sealed in `stored` and unchanged is kept, since each sealing gives a different text. */
  seal(carrier: Described, stored: Settings = {}): Settings {
    return changed(carrier, (value, field) => {
      if (typeof value !== 'string') return value;
      const kept = stored[field];
      if (isSealed(kept) && this.#open(kept, carrier.name, field) === value) return kept;
      return this.#seal(value, carrier.name, field);
    });
  }

  /** Undefined when it was sealed under another secret, or damaged. */
  open(carrier: Described): Settings | undefined {
    let isWhole = true;
    const settings = changed(carrier, (value, field) => {
      if (!isSealed(value)) return value;
      const text = this.#open(value, carrier.name, field);
      isWhole &&= text !== undefined;
      return text;
    });
    return isWhole ? settings : undefined;
  }

  #seal(text: string, ...place: readonly string[]): Sealed {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(boundTo(place));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return { sealed: `1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}` };
  }

  #open({ sealed }: Sealed, ...place: readonly string[]): string | undefined {
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
      // All that the cipher says is that the tag does not fit.
      return undefined;
    }
  }
}

/** Whether it holds a secret that is not sealed, as earlier versions stored them. */
export function hasPlainSecret({ type, settings }: Described): boolean {
  return secretSettings(type).some((field) => typeof settings[field] === 'string');
}

function changed(
  { type, settings }: Described,
  change: (value: unknown, field: string) => unknown,
): Settings {
  const fields = secretSettings(type).filter((field) => field in settings);
  return {
    ...settings,
    ...Object.fromEntries(fields.map((field) => [field, change(settings[field], field)])),
  };
}

/** The settings that the schema of the type marks as secret. */
function secretSettings(type: string): readonly string[] {
  const schema = Object.hasOwn(carrierTypes, type) ? carrierTypes[type as CarrierRecord['type']] : undefined;
  const settings = Object.entries<object & { readonly secret?: boolean }>(schema?.properties ?? {});
  return settings.flatMap(([name, setting]) => (setting.secret === true ? [name] : []));
}

function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Sealed>).sealed === 'string';
}

function boundTo(place: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(['carrier', ...place]));
}
