import { expect, test } from 'vitest';
import { expectLinearTime } from '../../test/harness/linear-time.ts';
import { Comparison, check, type State } from './compare.ts';
import { planOf } from './file.ts';
import { forKinds, type Objects } from './kind-list.ts';

test('[RUN-3] Comparing and checking many e-mail senders takes time in proportion to their number', async () => {
  const none = new Set<number>();
  const state: State = {
    objects: forKinds<Objects>(() => []),
    setKeys: [],
    ownedNumbers: [],
    retiredIds: { company: none, user: none, systemUser: none },
  };
  const planFor = (size: number) => {
    const emailSenders = Array.from({ length: size }, (_, at) => ({
      email: `ward${at}@care.example`,
      sender: `Ward ${at}`,
    }));
    const care = {
      name: 'Care',
      allowedDomainEndings: ['.example'],
      users: [{ username: 'alice', roles: ['send'] }],
      emailDefaults: { payinguser: 'alice' },
      emailSenders,
    };
    return planOf(JSON.stringify({ companies: [care] }), 'compare');
  };
  const plans = new Map([500, 4_000].map((size) => [size, planFor(size)]));
  const compared = (size: number) => new Comparison(plans.get(size) ?? planFor(size), state, undefined);
  expect(check(compared(500))).toEqual([]);
  expect(compared(500).edits.emailSenders).toHaveLength(500);
  await expectLinearTime((size) => check(compared(size)), { from: 500, times: 8 });
});
