/** What the answers that wait for a run mean to it, and to which of the runs on a shared number they are (JOB-7, JOB-10). */
import { clarity, type JobAnswer } from '../messages/incoming/job-answers.ts';
import type { UnclearAnswer } from '../messages/pool/job-leases.ts';
import { withoutCode } from '../messages/pool/reply-codes.ts';
import { type Answer, readAnswer } from './answers/read-answer.ts';
import { type AnswerWords, answerWords, plainWord } from './answers/words.ts';
import type { StoredRun } from './read-runs-store.ts';
import type { RunEvent } from './run/event.ts';

export interface ReadAnswers {
  readonly events: readonly { readonly at: number; readonly event: RunEvent }[];
  /** Those that are neither YES nor NO: they are their user's. */
  readonly comments: readonly JobAnswer[];
  readonly unclear: readonly UnclearAnswer[];
}

/** So much of an answer waits until its sender has said which run it is to. */
const maxWaiting = 200;

export function readAnswers({ run, answers, choices }: Omit<StoredRun, 'events'>): ReadAnswers {
  const words = answerWords(run.settings);
  const comments: JobAnswer[] = [];
  // The last one of a phone counts.
  const unclear = new Map<string, UnclearAnswer>();
  const events = answers.map((answer) => {
    const { sender: phone, recipient, text, receivedAt: at } = answer;
    const { meant, said } = meaningOf(answer, words);
    const isMeant = meant.meaning === 'yes' || meant.meaning === 'no';
    if (!isMeant) comments.push(answer);
    const among = isMeant && !isStop(text) ? choices.get(answer.id) : undefined;
    const event = { kind: 'answer', phone, answer: meant, text: said } as const;
    if (among === undefined) return { at, event };
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
  return { events, comments, unclear: [...unclear.values()] };
}

/** An answer that only names its run stands for the one before it, which named none. */
function meaningOf(
  { text, code, before }: JobAnswer,
  words: AnswerWords,
): { readonly meant: Answer; readonly said: string } {
  const meant = readAnswer(code === null ? text : withoutCode(text, code), words);
  if (before === null || meant.meaning !== 'comment') return { meant, said: text };
  return { meant: readAnswer(before, words), said: `${before} ${text}` };
}

/** Nobody who wants to be left alone is asked what he means by that. */
function isStop(text: string): boolean {
  return plainWord(text.trimStart().slice(0, 'stop'.length)) === 'stop';
}
