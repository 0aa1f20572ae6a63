/** The tools by which an agent starts a saved job: its rehearsal, and the start of exactly what the rehearsal showed. */
import Type, { type Static } from 'typebox';
import { maxTextLength } from '../../wire/sms/substitution.ts';
import type { AnswerOf, Api } from '../api.ts';
import { digestOf, type Plan, type Previews } from './previews.ts';
import { earlierThan, repetition, token } from './send-tools.ts';
import { answer, reads, refusal, sends, type Tool, tool } from './tool.ts';

const maxShownPeople = 50;

const content = {
  job: Type.String({ pattern: '^[1-9][0-9]{0,14}$', description: 'Id of the saved job.' }),
  name: Type.Optional(Type.String({ maxLength: 200, description: 'Name of this run.' })),
  message: Type.Optional(
    Type.String({ maxLength: maxTextLength, description: 'The question, instead of the saved one.' }),
  ),
  goal: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, description: 'How many YES answers are needed.' }),
  ),
  scheduleTime: Type.Optional(
    Type.String({ maxLength: 50, description: 'When to start: 2027-01-31T08:00:00+01:00. Default: now.' }),
  ),
  repetition,
};

const previewInput = Type.Object(content, { additionalProperties: false });
type Content = Static<typeof previewInput>;

export function jobTools(api: Api, previews: Previews): readonly Tool[] {
  return [
    tool({
      name: 'preview_job',
      title: 'Rehearse a saved job',
      description:
        'Shows what `start_job` would do, and sends nothing: who would be asked what in which order, who would be left out and why, the cost, and whether the goals can be met. Returns a token for `start_job`. Show it to the user before starting.',
      input: previewInput,
      annotations: reads,
      run: (input) => rehearse(api, previews, input),
    }),
    tool({
      name: 'start_job',
      title: 'Start a saved job',
      description:
        'Starts what was rehearsed, which asks people by SMS: takes the token and exactly the input of `preview_job`. The same token starts one run, however often it is used. After `unknown_end` never start again; ask `outcome`.',
      input: Type.Object({ token, ...content }, { additionalProperties: false }),
      annotations: sends,
      run: ({ token: given, ...started }) => previews.carryOut('start_job', given, started),
    }),
  ];
}

function callOf({ job, name, message, goal, scheduleTime }: Content) {
  return { id: job, jobname: name, message, responsegoal: goal, scheduledstart: scheduleTime };
}

type Rehearsal = AnswerOf<'POST', '/api/v1/jobs/{id}/rehearse'>;

/** What must be the same when it is started. */
function shownBy({ quotaLeft: _, mailsLeft: __, ...rehearsal }: Rehearsal): string {
  return digestOf(rehearsal);
}

async function rehearse(api: Api, previews: Previews, input: Content) {
  const rehearsal = await api.post('/api/v1/jobs/{id}/rehearse', callOf(input));
  const shown = {
    ...rehearsal,
    people: rehearsal.people.slice(0, maxShownPeople),
    morePeople: Math.max(0, rehearsal.peopleCount - maxShownPeople),
    leftOut: rehearsal.leftOut.slice(0, maxShownPeople),
    moreLeftOut: Math.max(0, rehearsal.leftOutCount - maxShownPeople),
  };
  if (rehearsal.problem !== undefined)
    return refusal('not_started', `This can't be started: ${rehearsal.problem}`, shown);
  return answer({ ...previews.hold(planOf(api, input, rehearsal)), ...shown });
}

function planOf(api: Api, input: Content, rehearsal: Rehearsal): Plan {
  let begun = api.answeredAt;
  return {
    tool: 'start_job',
    content: input,
    shown: shownBy(rehearsal),
    showAgain: async () => {
      const shown = shownBy(await api.post('/api/v1/jobs/{id}/rehearse', callOf(input)));
      begun = api.answeredAt;
      return shown;
    },
    carryOut: async (idempotencyKey) => {
      const run = await api.post('/api/v1/jobs/{id}/start', callOf(input), { idempotencyKey });
      const readStart = async () => (await api.get('/api/v1/runs/{id}', { id: run.id })).start;
      return { run, ...(await earlierThan(begun, readStart)) };
    },
    look: async () => {
      const { runs } = await api.get('/api/v1/runs', { savedJob: Number(input.job), limit: 10 });
      const begunSince = runs.filter(({ start }) => Date.parse(start) >= begun - 5_000);
      if (begunSince.length === 0) return { nothing: 'No run of this saved job has begun since.' };
      return { runs: begunSince, meaning: 'Runs of this saved job since then; one of them may be this one.' };
    },
  };
}
