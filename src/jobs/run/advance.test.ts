import { expect, test } from 'vitest';
import { standardSettings } from '../job-type.ts';
import { advance } from './advance.ts';
import { type Happened, newPerson, type Run } from './run.ts';
import { maxMails, type Unsendable } from './step.ts';

const run: Run = {
  id: 1,
  companyId: 1,
  ownerId: 900,
  userId: 10,
  starter: 'alice',
  savedJobId: 71,
  jobName: 'Night',
  typeName: 'Some',
  message: 'Come?',
  settings: standardSettings('GMA'),
  phase: 'scheduled',
  outcome: null,
  startAt: 0,
  expiryAt: null,
  warned: false,
  turns: 0,
  entries: 0,
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

test('[JOB-9] more mails than a step may have go out with the steps right after it, each once', () => {
  const crowd = Array.from({ length: 2 * maxMails + 5 }, (_, place) => {
    const by = place === 0 ? { phone: '46701' } : { phone: null, email: `p${place}@care.example` };
    return newPerson({ ...by, place, name: '', contactId: '', candidacies: [[0, 0]] });
  });
  const news = (happened: readonly Happened[] = []) => ({ happened, hasMore: false });
  const places: number[] = [];
  let step = advance({ run, people: crowd }, news(), 0);
  for (const size of [1 + maxMails, maxMails, 4]) {
    expect(step.texts.length).toBe(size);
    places.push(...step.texts.map(({ place }) => place));
    expect(step.dueAt === 0).toBe(size !== 4);
    if (size !== 4) step = advance(step, news(), 0);
  }
  expect(places.sort((a, b) => a - b)).toEqual(crowd.map(({ place }) => place));
  // What is told to all is spread in the same way.
  const tell = { kind: 'act', by: 'alice', act: { kind: 'tell', to: 'all', text: 'Bring boots' } } as const;
  step = advance(step, news([{ at: 1, event: tell }]), 1);
  const told = [step.texts.length];
  while (step.dueAt === 1) {
    step = advance(step, news(), 1);
    told.push(step.texts.length);
  }
  expect(told).toEqual([1 + maxMails, maxMails, 4]);
});
