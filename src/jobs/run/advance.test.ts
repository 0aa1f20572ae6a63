import { expect, test } from 'vitest';
import { standardSettings } from '../job-type.ts';
import { advance } from './advance.ts';
import { newPerson, type Run } from './run.ts';
import type { Unsendable } from './step.ts';

const run: Run = {
  ...{ id: 1, companyId: 1, ownerId: 900, userId: 10, starter: 'alice', savedJobId: 71, jobName: 'Night' },
  ...{
    typeName: 'Some',
    message: 'Come?',
    settings: standardSettings('GMA'),
    phase: 'scheduled',
    outcome: null,
  },
  ...{ startAt: 0, expiryAt: null, warned: false, turns: 0, entries: 0 },
  tasks: [{ name: 'nurse', goal: 2, levels: [{ name: 'first', afterMinutes: 0 }], opened: 0, waveAt: null }],
};
const people = [{ phone: '46701' }, { phone: '46702' }, { phone: null, email: 'p2@care.example' }].map(
  (by, place) => newPerson({ ...by, place, name: `P${place}`, contactId: '', candidacies: [[0, 0]] }),
);

function warnings(unsendable: Unsendable): readonly (string | undefined)[] {
  const { entries } = advance({ run, people }, { happened: [], hasMore: false }, 0, unsendable);
  return entries.filter(({ kind }) => kind === 'warning').map(({ why }) => why);
}

test('[JOB-11] a goal above those who can be sent to is told at the start, as the rehearsal does', () => {
  const phones = new Map([['46701', 'no_route']]);
  expect(warnings({ phones: new Map() })).toEqual([]);
  expect(warnings({ phones })).toEqual([]);
  expect(warnings({ phones: new Map(), mail: 'no relay' })).toEqual([]);
  expect(warnings({ phones, mail: 'no relay' })).toEqual(['nurse: 2 needed, 1 to ask']);
});
