/** The digest that stands for a phone number once its person has been erased. */
import { createHmac, hkdfSync } from 'node:crypto';

/** The key of the digests, which is the same on all nodes. A text, so that inputs of verbs can carry it to threads. */
export type PersonSecret = string;

export function personSecret(serverSecret: string | Uint8Array): PersonSecret {
  return Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon person 1', 32)).toString('hex');
}

/** Keyed, since otherwise all existing numbers could be tried within minutes. */
export function personDigest(secret: PersonSecret, companyId: number, number: string): string {
  const key = Buffer.from(secret, 'hex');
  return createHmac('sha256', key).update(`${companyId} ${number}`).digest('hex').slice(0, 32);
}
