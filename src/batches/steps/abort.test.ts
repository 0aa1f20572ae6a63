import { beforeEach, expect, test } from 'vitest';
import { putUser } from '../../../test/harness/account-verbs.ts';
import { clearBatches } from '../../../test/harness/batch-verbs.ts';
import { advanceAll, batchRow, putBatch } from '../../../test/harness/batches.ts';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Role } from '../../accounts/role.ts';
import { abort, abortForOperator } from './abort.ts';

const caller = (userId: number, roles: readonly Role[]): Caller => ({
  userId,
  username: `user ${userId}`,
  companyId: 1,
  roles: new Set(roles),
  defaultSender: undefined,
  allowedSenders: undefined,
  replaceCharacters: false,
  maxBatch: undefined,
  allowedCountries: undefined,
  session: undefined,
});

eachStore('asking for the end of a batch', (engine) => {
  const given = deliveryStore(engine);
  const clock = { now: () => 6_000 };
  beforeEach(async () => {
    await given.store.write(clearBatches, null);
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
    await putBatch(given.store, { id: 1 });
  });

  test('[BATCH-5] its user may, and hears when it has ended already', async () => {
    const asUser = (id = '1') => abort(given.store, clock, caller(10, ['send']), id);
    expect(await asUser()).toEqual({ kind: 'aborted' });
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 99, reason: 'aborted by user 10' });
    expect(await asUser()).toEqual({ kind: 'ended', code: 99 });
    for (const id of ['2', 'x', '']) await expect(asUser(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('[BATCH-5] [AUTH-9] others may not, nor those without the role', async () => {
    const other = abort(given.store, clock, caller(11, ['send']), '1');
    await expect(other).rejects.toMatchObject({ code: 'not_found' });
    await expect(async () => abort(given.store, clock, caller(10, ['jobs']), '1')).rejects.toMatchObject({
      code: 'role_missing',
    });
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 1 });
  });

  test('[BATCH-5] the operator may, and one that is done stays done', async () => {
    await advanceAll(given.store, 5_000);
    expect(await abortForOperator(given.store, clock, '1')).toEqual({ kind: 'takingBack' });
    await advanceAll(given.store, 6_000);
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 0, clearing: 0 });
  });
});
