import { expect, test } from 'vitest';
import { testRun } from '../../../test/harness/test-run.ts';
import { advance } from './advance.ts';
import { maxMails } from './outgoing.ts';
import { type Happened, newPerson } from './run.ts';

const run = testRun({
  tasks: [{ name: 'nurse', goal: 2, levels: [{ name: 'first', afterMinutes: 0 }], opened: 0, waveAt: null }],
});

test('[JOB-9] E-mails beyond what one step may send go out with the steps that follow, each once', () => {
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
  // A text to everyone is spread over several steps like the questions.
  const tell = { kind: 'act', by: 'alice', act: { kind: 'tell', to: 'all', text: 'Bring boots' } } as const;
  step = advance(step, news([{ at: 1, event: tell }]), 1);
  const counts = [step.texts.length];
  while (step.dueAt === 1) {
    step = advance(step, news(), 1);
    counts.push(step.texts.length);
  }
  expect(counts).toEqual([1 + maxMails, maxMails, 4]);
});
