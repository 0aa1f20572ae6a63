/** A device with one passkey, as far as a server sees it (WebAuthn level 3, ES256, no attestation). */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';

interface Asked {
  readonly challenge: string;
  readonly rpId?: string | undefined;
}

export class Authenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;
  readonly id: string;

  constructor(id: string, origin: string) {
    this.id = Buffer.from(id).toString('base64url');
    this.#origin = origin;
  }

  register({ challenge, rp }: Pick<Asked, 'challenge'> & { readonly rp: { readonly id?: string } }): string {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const id = Buffer.from(this.id, 'base64url');
    const key = Buffer.concat([
      // A map of five: kty EC2, alg ES256, crv P-256, and the coordinates.
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
    const data = Buffer.concat([authenticatorData(rp.id, 0x45, 0), credential]);
    // A map of three: fmt none, attStmt empty, authData of at most 255 bytes.
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
      Buffer.from([data.length]),
      data,
    ]);
    return this.#answer({
      clientDataJSON: this.#client('webauthn.create', challenge).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal', 'of a stranger'],
    });
  }

  /** `counter`: how often the device says that it has been used. */
  use({ challenge, rpId }: Asked, counter: number, origin = this.#origin): string {
    const client = this.#client('webauthn.get', challenge, origin);
    const data = authenticatorData(rpId, 0x05, counter);
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
    return this.#answer({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
    });
  }

  #client(type: string, challenge: string, origin = this.#origin): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  #answer(response: object): string {
    const { id } = this;
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }
}

/** The hash of the server's name, flags (user present and verified; a credential follows), and the counter. */
function authenticatorData(name = '', flags: number, counter: number): Buffer {
  const rest = Buffer.alloc(5);
  rest.writeUInt8(flags);
  rest.writeUInt32BE(counter, 1);
  return Buffer.concat([createHash('sha256').update(name).digest(), rest]);
}
