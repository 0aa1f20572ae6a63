import { beforeEach, expect, test } from 'vitest';
import { putCompany } from '../../../test/harness/account-verbs.ts';
import { putBook } from '../../../test/harness/contact-verbs.ts';
import { callerOf } from '../../../test/harness/messaging-room.ts';
import { sqliteStore } from '../../../test/harness/stores.ts';
import type { Caller } from '../../accounts/caller.ts';
import { Budget } from '../../foundation/budget.ts';
import { systemClock } from '../../foundation/clock.ts';
import { Turns } from '../../foundation/turns.ts';
import { BodyBlocks } from '../../http/body/body.ts';
import { type Importing, maxConcurrentFiles, previewFile } from './import-contacts.ts';

/** A file of more than a megabyte, none of whose contacts is looked up, since none has a phone number. */
const file = `phone;note\n${`none;${'x'.repeat(10_000)}\n`.repeat(120)}`;

sqliteStore('files of contacts', (engine) => {
  let importing: Importing;
  beforeEach(async () => {
    const { store } = await engine.openFreshStore();
    for (const id of [1, 2]) {
      await store.write(putCompany, { id, name: `Company ${id}` });
      await store.write(putBook, { id: 20 + id, companyId: id, name: 'Staff' });
    }
    importing = { store, clock: systemClock, turns: new Turns(), files: new Budget({}) };
  });

  function preview(companyId: number, userId: number, signal = new AbortController().signal) {
    const caller: Caller = { ...callerOf(userId), companyId, roles: new Set(['companyAdmin']) };
    const bytes = new BodyBlocks();
    bytes.add(Buffer.from(file));
    const asked = { book: String(20 + companyId), bytes, columns: undefined, countryCode: undefined };
    return previewFile(importing, caller, asked, signal);
  }

  test('[CONV-12] [CONV-15] Companies take turns when contact files are examined, and so do the users of each', async () => {
    const ended: string[] = [];
    const look = async (companyId: number, userId: number) => {
      expect((await preview(companyId, userId)).faultyRows).toBe(120);
      ended.push(`user ${userId} of ${companyId}`);
    };
    const ofOne = Array.from({ length: 8 }, () => look(1, 10));
    await Promise.all([...ofOne, look(1, 11), look(2, 20)]);
    expect(ended.slice(0, 2)).toEqual(['user 20 of 2', 'user 11 of 1']);
  });

  test('[CONV-12] Only a few contact files of a user, and of a company, are read at a time, and further ones are refused', async () => {
    importing = { ...importing, files: new Budget(maxConcurrentFiles) };
    const outcomeOf = (companyId: number, userId: number) =>
      preview(companyId, userId).then(
        () => 'read',
        ({ code }) => code,
      );
    const ofUsers = (companyId: number, userIds: readonly number[]) =>
      Promise.all(userIds.map((userId) => outcomeOf(companyId, userId)));
    const four = Array(4).fill('read');
    const first = ofUsers(1, [10, 10, 10, 10, 10, 11, 11, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13, 14]);
    const other = ofUsers(2, [20]);
    expect(await first).toEqual([...four, 'overloaded', ...four, ...four, ...four, 'overloaded']);
    expect(await other).toEqual(['read']);
    expect(await ofUsers(1, [10])).toEqual(['read']);
  });

  test('[CONV-12] A contact file is not examined any further once the client has gone', async () => {
    await expect(preview(1, 10, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });
});
