/**
 * Answers a run through the link in an e-mail. GET and HEAD show the page behind the link and change nothing, since
 * scanners of mail open it too. A POST has the effect of an answer by SMS: it becomes an event of the run, which the next step
 * processes.
 */
import { type KeyObject, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../storage/context.ts';
import { byDialect, sql } from '../storage/sql.ts';
import { json, StoredRecord } from '../storage/stored-record.ts';
import { inTurns, type Reading, readVerb, singleWriteVerb, snapshotVerb } from '../storage/verb.ts';
import { answerPage, answerPagePolicy, lostPage, type RunStatus } from './answer-page.ts';
import { type AnswerLink, afterEndMs, answerPath, readAnswerLink } from './job-mail.ts';
import { maxReplies, type Person, type Run, type RunEvent } from './run/run.ts';
import { storedPerson } from './stored-runs.ts';

interface LinkServices extends Context {
  readonly secret: KeyObject;
  /** Signals that a run has something to do. */
  readonly wake: () => void;
}

const form = 'application/x-www-form-urlencoded';
/** The page's two buttons send less than this. */
const maxBodyOctets = 1_024;

const lostStatus = { unknown: 404, expired: 410 } as const;

export function addAnswerPage(app: FastifyInstance, services: LinkServices): void {
  const show = (reply: FastifyReply, found: FoundRunStatus, status = 200) => {
    const [code, html] =
      found.kind === 'lost'
        ? [lostStatus[found.why], lostPage(found.why)]
        : [status, answerPage(found.runStatus, services.clock.now())];
    return (
      reply
        .code(code)
        .header('content-security-policy', answerPagePolicy)
        .header('cache-control', 'no-store')
        // Without a referrer, browsers send `Origin: null`, and over plain HTTP nothing else that says where a form comes
        // from.
        .header('referrer-policy', 'same-origin')
        .header('x-robots-tag', 'noindex, nofollow')
        .type('text/html; charset=utf-8')
        .send(html)
    );
  };
  app.register(async (pages) => {
    pages.addContentTypeParser(form, { parseAs: 'string', bodyLimit: maxBodyOctets }, (_, body, done) =>
      done(null, new URLSearchParams(body as string)),
    );
    // A wildcard matches any length, while a named parameter has a length limit beyond which no page would be found.
    const path = `${answerPath}/*`;
    pages.get<{ Params: { '*': string } }>(path, { exposeHeadRoute: true }, async ({ params }, reply) =>
      show(reply, await runStatusByLink(services, params['*'])),
    );
    pages.post<{ Params: { '*': string } }>(
      path,
      { bodyLimit: maxBodyOctets },
      async ({ params, body }, reply) => {
        const answer = body instanceof URLSearchParams ? body.get('answer') : undefined;
        if (answer !== 'yes' && answer !== 'no')
          return show(reply, await runStatusByLink(services, params['*']), 400);
        const found = await answerByLink(services, params['*'], answer);
        if (found.kind === 'lost') return show(reply, found);
        // Redirects so that reloading the page does not send the answer again. The target is relative to the folder of
        // the current path.
        return reply.header('cache-control', 'no-store').redirect(params['*'], 303);
      },
    );
  });
}

type FoundRunStatus =
  | { readonly kind: 'found'; readonly link: AnswerLink; readonly runStatus: RunStatus }
  | { readonly kind: 'lost'; readonly why: 'unknown' | 'expired' };

/**
 * A link that this server has not written causes no store access. A genuine link lasts as long as its run, which may be
 * extended.
 */
export async function runStatusByLink(
  { store, clock, secret }: LinkServices,
  text: string,
): Promise<FoundRunStatus> {
  const link = readAnswerLink(secret, text);
  if (link === undefined) return { kind: 'lost', why: 'unknown' };
  const companyId = await store.read(findCompanyOfRun, link.runId);
  const { runId, place } = link;
  const stored =
    companyId === undefined ? null : await store.read(readRunStatus, { runId, place, companyId });
  const endsAt = Math.max(link.expiresAt, (stored?.run.expiryAt ?? 0) + afterEndMs);
  if (stored === null || endsAt <= clock.now()) return { kind: 'lost', why: 'expired' };
  const { run, person, people, found, rank, pending } = stored;
  const needed = run.tasks.reduce((sum, { goal }) => sum + (goal ?? people), 0);
  const mayAnswer = person.replies < maxReplies && pending.length < maxPending;
  return {
    kind: 'found',
    link,
    runStatus: { run, person, found, needed, rank, pending: pending[0], mayAnswer },
  };
}

const takenInMs = 1_000;
const lookEveryMs = 25;

/** Ignores an answer that repeats the current one. Waits a moment for the run to process the answer. */
export async function answerByLink(
  services: LinkServices,
  text: string,
  meaning: Meaning,
): Promise<FoundRunStatus> {
  const before = await runStatusByLink(services, text);
  if (before.kind === 'lost' || !isNews(before.runStatus, meaning)) return before;
  const { store, clock, wake } = services;
  const { runId, place } = before.link;
  const answer = { runId, place, meaning, at: clock.now(), mark: randomUUID() };
  if (!(await store.write(putAnswerByLink, answer))) return before;
  wake();
  const until = performance.now() + takenInMs;
  // The answer is stored, even if it cannot be checked right now.
  const isPending = () => store.read(isAnswerPending, answer).catch(() => false);
  while (performance.now() < until && (await isPending())) await delay(lookEveryMs);
  return before;
}

/** After the end, only the first YES counts as new; its sender is told that it is too late. */
function isNews({ run, person, pending, mayAnswer }: RunStatus, meaning: Meaning): boolean {
  if (!mayAnswer || (pending ?? person.state) === meaning) return false;
  return run.phase !== 'ended' || (meaning === 'yes' && !person.late && pending === undefined);
}

interface PersonOfRun {
  readonly runId: number;
  readonly place: number;
}

interface StoredRunStatus {
  readonly run: Run;
  readonly person: Person;
  readonly people: number;
  /** The number of people who hold a place. */
  readonly found: number;
  /** The number of reserves up to and including this person. */
  readonly rank: number;
  /** Answers by link not yet processed, the latest first. */
  readonly pending: readonly Meaning[];
}

type Meaning = 'yes' | 'no';

/** How many answers of one person may be pending; more could not be processed as fast as they arrive. */
const maxPending = 5;

const taskOf = byDialect({ sqlite: "person->>'task'", postgres: "person::json->>'task'" });
const reserveOf = byDialect({ sqlite: "person->>'reserve'", postgres: "(person::json->>'reserve')::BIGINT" });

/** The prefix of the names of one person's answers; nothing else uses it. */
const named = (place: number) => `answered ${place} `;

/** The company of a run; undefined if there is no such run. */
export const findCompanyOfRun = readVerb(
  'jobs.findCompanyOfRun',
  async (reading, runId: number): Promise<number | undefined> => {
    const row = await reading.first<{ company_id: number }>(
      sql`SELECT company_id FROM job_runs WHERE id = ${runId}`,
    );
    return row?.company_id;
  },
);

async function pendingOf(reading: Reading, { runId, place }: PersonOfRun): Promise<readonly Meaning[]> {
  const rows = await reading.all<{ event: string }>(
    sql`SELECT event FROM job_events WHERE run_id = ${runId} AND name LIKE ${`${named(place)}%`}
        ORDER BY at DESC, name DESC LIMIT ${maxPending}`,
  );
  return rows.map(({ event }) => (JSON.parse(event) as RunEvent & { kind: 'answered' }).meaning);
}

const runWithPerson = new StoredRecord({ run: json<Run>(), person: json<Person>() });

/**
 * The read takes turns with other long reads, because a large run takes milliseconds and a person with a link may ask
 * often.
 */
export const readRunStatus = inTurns(
  snapshotVerb(
    'jobs.readRunStatus',
    async (
      reading,
      { runId, place }: PersonOfRun & { readonly companyId: number },
    ): Promise<StoredRunStatus | null> => {
      const found = await runWithPerson.first(reading)`
        FROM job_runs JOIN job_people ON run_id = id WHERE id = ${runId} AND place = ${place}`;
      if (found === undefined) return null;
      const turn = found.person.reserve ?? 0;
      const counts = await reading.first<Pick<StoredRunStatus, 'people' | 'found' | 'rank'>>(
        sql`SELECT COUNT(*) AS people, COUNT(${taskOf}) AS found,
              COUNT(*) FILTER (WHERE ${reserveOf} <= ${turn}) AS rank FROM job_people WHERE run_id = ${runId}`,
      );
      return {
        ...found,
        ...(counts as Pick<StoredRunStatus, 'people' | 'found' | 'rank'>),
        pending: await pendingOf(reading, { runId, place }),
      };
    },
  ),
  ({ companyId }) => ({ companyId, userId: 0 }),
);

interface AnswerByLink extends PersonOfRun {
  readonly meaning: Meaning;
  readonly at: number;
  /** Distinguishes this answer from earlier ones. */
  readonly mark: string;
}

/**
 * Stores the answer for the next step of the run, like an answer by SMS. Returns false if it repeats what the person last
 * said.
 */
export const putAnswerByLink = singleWriteVerb(
  'jobs.putAnswerByLink',
  async (transaction, { runId, place, meaning, at, mark }: AnswerByLink): Promise<boolean> => {
    const found = await storedPerson.first(transaction)`
      FROM job_people WHERE run_id = ${runId} AND place = ${place}`;
    if (found === undefined) return false;
    const [latest = found.person.state] = await pendingOf(transaction, { runId, place });
    if (latest === meaning) return false;
    const event: RunEvent = { kind: 'answered', place, meaning };
    await transaction.run(
      sql`INSERT INTO job_events (run_id, name, at, event)
          SELECT id, ${named(place) + mark}, ${at}, ${JSON.stringify(event)} FROM job_runs WHERE id = ${runId}`,
    );
    return true;
  },
);

/** Whether an answer is still waiting for a step of its run. */
export const isAnswerPending = readVerb(
  'jobs.isAnswerPending',
  async (reading, { runId, place, mark }: PersonOfRun & Pick<AnswerByLink, 'mark'>): Promise<boolean> => {
    const row = await reading.first(
      sql`SELECT name FROM job_events WHERE run_id = ${runId} AND name = ${named(place) + mark}`,
    );
    return row !== undefined;
  },
);
