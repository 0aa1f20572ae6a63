import { expect, test } from 'vitest';
import { testRun } from '../../test/harness/test-run.ts';
import type { JobAnswer } from '../messages/incoming/job-answers.ts';
import { standardSettings } from './job-type.ts';
import { readAnswers } from './read-answers.ts';

const run = testRun({
  jobName: 'Night call',
  settings: standardSettings('GMM'),
  phase: 'open',
  expiryAt: 1_000,
});

function meaningOf(text: string, before: string | null): string | undefined {
  const answer: JobAnswer = {
    id: 5,
    runId: 1,
    companyId: 1,
    userId: 10,
    sender: '46701',
    recipient: '46100',
    text,
    questionId: 7,
    receivedAt: 10,
    code: 62,
    clarity: 0,
    before,
    optedOut: false,
  };
  const stored = { run, people: [], version: 1, answers: [answer], choices: new Map(), hasMore: false };
  const [{ event } = {}] = readAnswers(stored).events;
  return event?.kind === 'answer' ? event.answer.meaning : undefined;
}

test('[JOB-7] An answer that only names its run stands for the YES before it; a question about the run does not', () => {
  for (const text of [
    '62',
    ' 62! ',
    '62.',
    'Nr 62',
    '62 tack',
    '62 (Night call)',
    'Night call 62',
    '62 thanks',
  ])
    expect([text, meaningOf(text, 'YES')]).toEqual([text, 'yes']);
  for (const text of ['Is 62 the day shift', '62 when', 'What is 62', '62 I call you', '62 Night call?'])
    expect([text, meaningOf(text, 'YES')]).toEqual([text, 'comment']);
  expect(meaningOf('62?', 'YES')).toBe('query');
  expect(meaningOf('NO 62', 'YES')).toBe('no');
  expect(meaningOf('62', null)).toBe('comment');
});
