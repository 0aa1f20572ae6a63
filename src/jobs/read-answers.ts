/**
 * Interprets the answers that wait for a run, and decides which of the runs on a shared number each answer belongs to
 * (JOB-7, JOB-10).
 */
import { clarity, type JobAnswer } from '../messages/incoming/job-answers.ts';
import type { UnclearAnswer } from '../messages/pool/leases.ts';
import { withoutCode } from '../messages/pool/reply-codes.ts';
import { type Answer, readAnswer } from '../wire/answers/read-answer.ts';
import { type AnswerWords, answerWords, plainWord } from '../wire/answers/words.ts';
import type { RunEvent } from './run/run.ts';
import type { EventOfRun, StoredRun } from './stored-runs.ts';

export interface ReadAnswers {
  readonly events: readonly { readonly at: number; readonly event: RunEvent }[];
  /** Answers that are neither YES nor NO; they go to their user. */
  readonly comments: readonly JobAnswer[];
  readonly unclear: readonly UnclearAnswer[];
  /** Events for other runs on the same number for which an answer may be meant. */
  readonly elsewhere: readonly EventOfRun[];
}

/** At most this much of an answer is kept until its sender has said which run is meant. */
const maxWaiting = 200;

export function readAnswers({ run, answers, choices }: Omit<StoredRun, 'events'>): ReadAnswers {
  const words = answerWords(run.settings);
  const comments: JobAnswer[] = [];
  // The last answer from a phone counts.
  const unclear = new Map<string, UnclearAnswer>();
  const elsewhere: EventOfRun[] = [];
  const events = answers.map((answer) => {
    const { sender: phone, recipient, text, receivedAt: at } = answer;
    const { meant, said } = answer.optedOut ? optOut(text) : meaningOf(answer, run.jobName, words);
    const isMeant = meant.meaning === 'yes' || meant.meaning === 'no';
    if (!isMeant) comments.push(answer);
    const choice = isMeant ? choices.get(answer.id) : undefined;
    const among = answer.optedOut || isStop(text) ? undefined : choice;
    const event = { kind: 'answer', phone, answer: meant, text: said } as const;
    if (among === undefined) {
      const stopped = { kind: 'stopped', phone, text } as const;
      for (const { runId } of choice ?? [])
        if (runId !== run.id) elsewhere.push({ runId, name: `stopped ${answer.id}`, at, event: stopped });
      return { at, event };
    }
    const waiting = {
      sender: phone,
      recipient,
      conversation: String(run.id),
      text: text.slice(0, maxWaiting),
    };
    unclear.set(`${phone} ${recipient}`, waiting);
    const wasAsked = answer.clarity === clarity.unclearAgain;
    return { at, event: { ...event, unclear: { choices: among, wasAsked } } };
  });
  return { events, comments, unclear: [...unclear.values()], elsewhere };
}

function optOut(said: string): ReturnType<typeof meaningOf> {
  return { meant: { meaning: 'no' }, said };
}

/** Words without meaning next to a code: "Nr 62", "62 tack". */
const fillers: ReadonlySet<string> = new Set([
  ...['nr', 'number', 'nummer', 'numro', 'code', 'kod', 'kode', 'koodi', 'please', 'thanks', 'thx'],
  ...['tack', 'takk', 'tak', 'kiitos', 'danke', 'bitte', 'to', 'till', 'til', 'zu', 'for'],
]);

/** An answer that only names its run takes the meaning of the previous answer, which named no run. */
function meaningOf(
  { text, code, before }: JobAnswer,
  jobName: string,
  words: AnswerWords,
): { readonly meant: Answer; readonly said: string } {
  const rest = code === null ? text : withoutCode(text, code);
  const meant = readAnswer(rest, words);
  if (before === null || meant.meaning !== 'comment' || !namesOnly(rest, jobName))
    return { meant, said: text };
  return { meant: readAnswer(before, words), said: `${before} ${text}` };
}

/** Whether the text says nothing besides its code, except perhaps the name of the job. */
function namesOnly(rest: string, jobName: string): boolean {
  const name = new Set(wordsIn(jobName));
  const others = wordsIn(rest.slice(0, maxWaiting)).filter((word) => !name.has(word));
  return !rest.includes('?') && others.length <= 1 && others.every((word) => fillers.has(word));
}

function wordsIn(text: string): readonly string[] {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).map(plainWord);
}

/** A person who wants to be left alone is not asked which run is meant. */
function isStop(text: string): boolean {
  return plainWord(text.trimStart().slice(0, 'stop'.length)) === 'stop';
}
