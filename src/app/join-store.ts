/**
 * Lets a process join a store only with the server's secret that the store belongs to, and brings the store's contents under
 * that secret.
 */
import { hasPlainSecret, openSettings, sealSettings } from '../carriers/provisioned/carrier-record.ts';
import { listStoredCarriers, sealCarrier } from '../carriers/provisioned/carrier-rows.ts';
import { StartError } from '../foundation/errors.ts';
import { Sealing } from '../foundation/sealing.ts';
import { readIsEmpty } from '../provisioning/store.ts';
import { keepSecretCheck, readSecretCheck, secretCheck } from '../storage/secret-check.ts';
import type { Store } from '../storage/store.ts';
import { otherSecret, requireSecret } from './open-store.ts';
import { weaknessOf } from './server-secret.ts';

export async function joinStore(
  store: Store,
  secret: string,
  warn: (sentence: string) => void,
): Promise<Sealing> {
  await requireSecret(store, secret);
  const weakness = weaknessOf(secret);
  if (weakness !== undefined) {
    const isNew =
      (await store.read(readSecretCheck, null)) === undefined && (await store.read(readIsEmpty, null));
    if (isNew) throw new StartError(`${weakness} A new store cannot be created with it.`);
    warn(`${weakness} Change it: see "The secret" in docs/configuration.md.`);
  }
  const check = secretCheck(secret);
  if ((await store.write(keepSecretCheck, { check, replace: false })) !== check) throw otherSecret();
  const sealing = new Sealing(secret);
  await sealPlainSecrets(store, sealing);
  return sealing;
}

/** Earlier versions stored carrier passwords in plain text. Passwords of removed carriers stay in the store, sealed. */
async function sealPlainSecrets(store: Store, sealing: Sealing): Promise<void> {
  const plain = (await store.read(listStoredCarriers, null)).filter(hasPlainSecret);
  for (const carrier of plain) {
    await store.write(sealCarrier, {
      id: carrier.id,
      before: carrier.text,
      after: JSON.stringify(sealSettings(sealing, carrier)),
    });
  }
  if (plain.length > 0) store.forgetDeleted();
}

/** Names of carriers whose passwords can't be opened with the secret. */
export async function unreadableCarriers(store: Store, secret: string): Promise<readonly string[]> {
  const sealing = new Sealing(secret);
  const carriers = await store.read(listStoredCarriers, null);
  return carriers.flatMap((carrier) =>
    carrier.removed === 0 && openSettings(sealing, carrier) === undefined ? [carrier.name] : [],
  );
}
