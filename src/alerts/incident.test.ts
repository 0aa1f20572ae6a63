import { expect, test } from 'vitest';
import { hourMs, type Incident, isUnheard } from './incident.ts';

test('[ALERT-2] [ALERT-3] What a source reports of an acknowledged alert wakes nobody, until the silence that it got has ended', () => {
  const incident = {
    state: 'open',
    openedAt: 0,
    runId: 7,
    runEnded: true,
    acknowledgedAt: hourMs,
  } as Incident;
  const settings = { groupMinutes: 5, againHours: 4 };
  expect(isUnheard(incident, settings, 100 * hourMs)).toBe(false);
  const silenced = { ...settings, silenceHours: 4 };
  expect(isUnheard(incident, silenced, 5 * hourMs - 1)).toBe(false);
  expect(isUnheard(incident, silenced, 5 * hourMs)).toBe(true);
  expect(isUnheard({ ...incident, acknowledgedAt: null }, silenced, 4 * hourMs)).toBe(true);
});
