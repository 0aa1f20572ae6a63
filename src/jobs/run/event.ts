/** What happens to a run, beside time going by. */
import type { Answer } from '../answers/read-answer.ts';

/** Whom an owner may write to. */
export const audiences = ['all', 'silent', 'assigned'] as const;
export type Audience = (typeof audiences)[number];

export type Act =
  /** For somebody who telephoned, or whose comment is counted as that: then it stands here. */
  | { readonly kind: 'accept' | 'decline'; readonly phone: string; readonly comment?: string }
  | { readonly kind: 'escalate' | 'cancel' }
  | { readonly kind: 'extend'; readonly minutes: number }
  | { readonly kind: 'tell'; readonly to: Audience; readonly text: string };

/** A run that an answer without a code may be to. */
export interface Choice {
  readonly runId: number;
  readonly code: number;
  readonly job: string;
}

/** What happened, and when. */
export interface Happened {
  readonly at: number;
  readonly event: RunEvent;
}

export type RunEvent =
  | {
      readonly kind: 'answer';
      readonly phone: string;
      readonly answer: Answer;
      readonly text: string;
      /** It is a YES or NO to one of these runs, nobody knows to which. */
      readonly unclear?: {
        readonly choices: readonly Choice[];
        /** Its sender was asked already which is meant. */
        readonly wasAsked: boolean;
      };
    }
  /** Somebody wrote STOP, and nobody knows to which of the runs on the number; another of them answers it. */
  | { readonly kind: 'stopped'; readonly phone: string; readonly text: string }
  /** By the link of a mail. */
  | { readonly kind: 'answered'; readonly place: number; readonly meaning: 'yes' | 'no' }
  /** A failing final status of the question, or of a reminder. */
  | { readonly kind: 'failed'; readonly place: number; readonly status: string }
  /** Of the questions to these people, those that no carrier ever had were taken back. */
  | { readonly kind: 'withdrawn'; readonly asked: readonly number[]; readonly withdrawn: readonly number[] }
  | { readonly kind: 'act'; readonly act: Act; readonly by: string };
