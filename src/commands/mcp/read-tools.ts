/** The tools by which an agent finds and reads: each answers with a bounded part of what the API answers. */
import Type from 'typebox';
import { type Api, CallError } from '../api.ts';
import { answer, answerWithForeignTexts, cut, fromStranger, reads, type Tool, tool } from './tool.ts';

const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 50, description: 'At most as many of each kind; default: 10.' }),
);
const usualLimit = 10;
const maxEntries = 20;

const id = (description: string) => Type.String({ minLength: 1, maxLength: 20, description });
const input = <Properties extends Type.TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

export function readTools(api: Api): readonly Tool[] {
  return [
    tool({
      name: 'search',
      title: 'Search',
      description:
        'Finds SMS that were sent (by an id, a number, a name or words of the text), conversations (by a number or a name), and people, groups, templates, batches and saved jobs by name. Only what the account may see.',
      input: input({ query: Type.String({ minLength: 1, maxLength: 100 }), limit }),
      annotations: reads,
      run: ({ query, limit: most = usualLimit }) => search(api, query, most),
    }),
    tool({
      name: 'message_status',
      title: 'Status of an SMS',
      description: 'What became of one SMS, why, and what can be done.',
      input: input({ id: id('Id of the SMS.') }),
      annotations: reads,
      run: ({ id: asked }) => messageStatus(api, asked),
    }),
    tool({
      name: 'run_status',
      title: 'Status of a run',
      description:
        'How far a run of a saved job is: how many people are needed and found, who answered what, and what happened last.',
      input: input({
        id: id('Id of the run.'),
        state: Type.Optional(
          Type.Union(
            (['waiting', 'asked', 'unreachable', 'yes', 'no'] as const).map((state) => Type.Literal(state)),
            { description: 'Only people in this state.' },
          ),
        ),
        limit,
      }),
      annotations: reads,
      run: ({ id: asked, state, limit: most = usualLimit }) => runStatus(api, asked, { state, limit: most }),
    }),
    tool({
      name: 'list_saved_jobs',
      title: 'Saved jobs',
      description: 'The saved jobs that the account may start, and the latest runs.',
      input: input({ limit }),
      annotations: reads,
      run: ({ limit: most = usualLimit }) => savedJobs(api, most),
    }),
    tool({
      name: 'quota',
      title: 'Quota',
      description: 'How many SMS parts the account may still send: in all, in this minute and today.',
      input: input({}),
      annotations: reads,
      run: async () => answer(await api.get('/api/v1/quota', {})),
    }),
  ];
}

/** An account may lack the role for some kinds; the others are found all the same. */
async function search(api: Api, q: string, most: number) {
  const kinds = {
    messages: async () => {
      const { messages, searched, next } = await api.get('/api/v1/messages', { q, limit: most });
      const found = messages.map(({ id, to, name, from, status, accepted, parts }) => ({
        id,
        to,
        name,
        from,
        status,
        accepted,
        parts,
      }));
      return { found, searchedAs: searched, more: next !== undefined };
    },
    conversations: async () => {
      const page = await api.get('/api/v1/conversations', { search: q, limit: most });
      const found = page.conversations.map(({ lastText, isOurs, ...one }) => ({
        ...one,
        lastText: isOurs ? lastText && cut(lastText) : fromStranger(lastText),
      }));
      return { found, more: page.next !== undefined };
    },
    names: () => api.get('/api/v1/find', { q }),
  };
  const outcomes = await Promise.all(
    Object.entries(kinds).map(async ([kind, find]) => {
      try {
        return [kind, await find()] as const;
      } catch (error) {
        if (error instanceof CallError && error.certainty === 'refused') return [kind, error] as const;
        throw error;
      }
    }),
  );
  const refused = outcomes.flatMap(([kind, found]) =>
    found instanceof CallError ? [[kind, found] as const] : [],
  );
  if (refused.length === outcomes.length) throw refused[0]?.[1];
  const notSearched = Object.fromEntries(refused.map(([kind, { message }]) => [kind, message]));
  const found = outcomes.filter(([, one]) => !(one instanceof CallError));
  return answerWithForeignTexts({ ...Object.fromEntries(found), notSearched });
}

async function messageStatus(api: Api, id: string) {
  const { message, timeline, ...sms } = await api.get('/api/v1/messages/{id}', { id });
  const entries = timeline.slice(-maxEntries);
  return answer({
    ...sms,
    message: cut(message),
    timeline: entries.map(({ time, what, carrier, details }) => ({
      time,
      what,
      carrier,
      details: cut(details),
    })),
    earlierEntries: timeline.length - entries.length + sms.leftOut,
  });
}

interface PeopleAsked {
  readonly state: string | undefined;
  readonly limit: number;
}

async function runStatus(api: Api, id: string, { state, limit: most }: PeopleAsked) {
  const [{ message, ...run }, { people, next }, { entries }] = await Promise.all([
    api.get('/api/v1/runs/{id}', { id }),
    api.get('/api/v1/runs/{id}/people', { id, state: state && [state], limit: most }),
    api.get('/api/v1/runs/{id}/timeline', { id, limit: usualLimit }),
  ]);
  return answerWithForeignTexts({
    ...run,
    message: cut(message),
    whoSaidWhat: people.map((one) => ({ ...one, answer: fromStranger(one.answer) })),
    morePeople: next !== undefined,
    lastEntries: entries.map(({ time, what, by, people: whom, why, text, meaning }) => ({
      time,
      what,
      by,
      people: whom,
      why: why && cut(why),
      // Answers, and what people of the company wrote: the entry does not say which for sure.
      text: fromStranger(text),
      meaning,
    })),
  });
}

async function savedJobs(api: Api, most: number) {
  const [{ jobs, next }, { runs }] = await Promise.all([
    api.get('/api/v1/jobs', { limit: most }),
    api.get('/api/v1/runs', { limit: most }),
  ]);
  return answer({ jobs, more: next !== undefined, latestRuns: runs });
}
