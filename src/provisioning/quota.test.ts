import { expect, test } from 'vitest';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { readQuotas, spendQuota } from '../../test/harness/quota-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';

function granting(company: number, user: number): string {
  return `
companies:
  - name: Nordic Care
    quotaParts: ${company}
    users: [{ username: alice, roles: [send], quotaParts: ${user} }]
`;
}

eachStore('the quota of a provisioning file', (engine) => {
  test('[SEND-19] Applying a quota again, or another one, never resets what is used', async () => {
    const { store } = await engine.openFreshStore();
    const { linesOf: apply } = provisioningOf(() => store);
    await apply(granting(1_000, 100));
    await store.write(spendQuota, { username: 'alice', parts: 40 });

    await apply(granting(1_000, 100));
    expect(await store.read(readQuotas, 'alice')).toEqual({
      user: { granted: 100, used: 40 },
      company: { granted: 1_000, used: 40 },
    });
    // A grant below the current usage leaves nothing, rather than starting over.
    await apply(granting(2_000, 30));
    expect(await store.read(readQuotas, 'alice')).toEqual({
      user: { granted: 30, used: 40 },
      company: { granted: 2_000, used: 40 },
    });
    await apply('companies: [{ name: Nordic Care, users: [{ username: alice }] }]');
    expect(await store.read(readQuotas, 'alice')).toEqual({
      user: { granted: null, used: 40 },
      company: { granted: null, used: 40 },
    });
  });

  test('[RUN-3] [JOB-9] A provisioning file may set how many e-mails a company sends in a day, by default as many as SMS parts', async () => {
    const { store } = await engine.openFreshStore();
    const { linesOf: apply } = provisioningOf(() => store);
    const companies = (limit: string) => `companies: [{ name: Nordic Care${limit} }]`;
    expect(await apply(companies(', mailsPerDay: 20'))).toEqual(['+ company Nordic Care: mailsPerDay 20']);
    expect(await apply(companies(', mailsPerDay: 0'))).toEqual([
      '~ company Nordic Care: mailsPerDay 20 -> 0',
    ]);
    expect(await apply(companies(''))).toEqual(['~ company Nordic Care: mailsPerDay 0 -> as SMS parts']);
    expect(await apply(companies(''))).toEqual([]);
  });
});
