import { BlockList } from 'node:net';
import { describe, expect, test } from 'vitest';
import { AddressGuard, LookUps, lookUpsOfCompany, lookUpsOfUser } from './address-guard.ts';

/** Names that are resolved only when the test says so. */
function silentNames() {
  const waiting: (() => void)[] = [];
  const answer = () =>
    new Promise<string[]>((resolve) => {
      waiting.push(() => resolve(['93.184.216.34']));
    });
  const guard = new AddressGuard(new BlockList(), { resolve4: answer, resolve6: () => Promise.resolve([]) });
  const answerAll = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { lookUps: new LookUps(guard), waiting, answerAll };
}

const user = (companyId: number, userId: number) => ({ companyId, userId });

describe('addresses of webhooks', () => {
  test('[CONV-12] Few webhook addresses are looked up at a time for a user and for a company, without holding up others', async () => {
    const { lookUps, waiting, answerAll } = silentNames();
    const refused = { code: 'overloaded', headers: { 'retry-after': '2' } };
    const asked: Promise<readonly string[]>[] = [];
    for (let one = 0; one < lookUpsOfCompany; one++)
      asked.push(lookUps.addressesOf(user(1, Math.floor(one / lookUpsOfUser)), `silent${one}.example`));
    expect(waiting).toHaveLength(lookUpsOfCompany);
    await expect(lookUps.addressesOf(user(1, 0), 'silent.example')).rejects.toMatchObject(refused);
    await expect(lookUps.addressesOf(user(1, 99), 'silent.example')).rejects.toMatchObject(refused);
    asked.push(lookUps.addressesOf(user(2, 100), 'other.example'));
    answerAll();
    expect(await Promise.all(asked)).toEqual(asked.map(() => ['93.184.216.34']));
  });

  test('[CONV-12] Webhook addresses that are not found leave room for the next look-up', async () => {
    const lookUps = new LookUps({ addressesOf: () => Promise.reject(new Error('no such name')) });
    for (let one = 0; one < 2 * lookUpsOfCompany; one++)
      await expect(lookUps.addressesOf(user(1, 1), 'gone.example')).rejects.toThrow('no such name');
  });
});
