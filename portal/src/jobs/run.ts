/** Saved jobs and runs as the pages know them, and the groups in which they show the people of a run. Pure. */
import type { AnswerOf } from '../api/endpoints.ts';
import type { Tone } from '../design/status-badge.tsx';

export type SavedJob = AnswerOf<'GET', '/api/v1/jobs/{id}'>;
export type Rehearsal = AnswerOf<'POST', '/api/v1/jobs/{id}/rehearse'>;
export type Run = AnswerOf<'GET', '/api/v1/runs/{id}'>;
export type ListedRun = AnswerOf<'GET', '/api/v1/runs'>['runs'][number];
export type RunPerson = AnswerOf<'GET', '/api/v1/runs/{id}/people'>['people'][number];
export type State = RunPerson['state'];

/** The states in the order in which the board shows them. */
export const groups = ['yes', 'no', 'asked', 'unreachable', 'waiting'] as const satisfies readonly State[];

export interface RunSearch {
  /** For a screen on the wall: figures that can be read from far away, and nothing to press. */
  readonly wall?: true;
  /** Only people in this state are shown. */
  readonly show?: State;
}

export function groupOf(text: unknown): State | undefined {
  return groups.find((group) => group === text);
}

/** Whether the run still takes answers. */
export function isRunning({ phase }: Pick<Run, 'phase'>): boolean {
  return phase === 'open' || phase === 'finished';
}

/** The person wrote something that is neither YES nor NO, and somebody has to say what it means. */
export function isUnclear({ state, meaning }: RunPerson): boolean {
  return meaning === 'comment' && state !== 'yes' && state !== 'no';
}

export type Progress = Pick<ListedRun, 'found' | 'goal' | 'people' | 'phase' | 'outcome' | 'short'>;

export function toneOfRun({ phase, outcome, short, found, goal = 0 }: Progress): Tone {
  if (phase === 'scheduled') return 'waiting';
  if (phase === 'ended' && outcome !== 'GOAL_REACHED' && outcome !== 'ALL_ANSWERED') return 'cancelled';
  // Everybody may have answered without the goal being reached.
  if (short || (phase === 'ended' && found < goal)) return 'failed';
  return phase === 'open' ? 'moving' : 'delivered';
}

/** How the person is called on the page: by name, otherwise by number or address. */
export function nameOf({ name, phone, email }: Pick<RunPerson, 'name' | 'phone' | 'email'>): string {
  return name || phone || email || '';
}

/** How calls name the person. */
export function whomOf({
  phone,
  contactId,
}: RunPerson): { readonly phone: string } | { readonly contactId: string } {
  return phone === undefined ? { contactId } : { phone };
}

/** Something by which the people of a run differ. */
export function keyOf({ phone, email, contactId }: RunPerson): string {
  return phone ?? (contactId || email || '');
}
