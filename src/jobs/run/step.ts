/** One step of a run as it is worked out: the run as it becomes, and what is to be sent, told and taken back. */
import { type ReplyName, textOf } from '../texts.ts';
import { type Entry, type EntryKind, system } from './entry.ts';
import type { Choice } from './event.ts';
import {
  heldIn,
  maxReplies,
  type Person,
  placesFree,
  type Run,
  type RunWithPeople,
  reservesOf,
} from './run.ts';

export interface OutgoingText {
  readonly place: number;
  readonly phone: string;
  readonly text: string;
  /** The question, or a reminder of it: a failing receipt of it says that its person was not reached. */
  readonly isQuestion: boolean;
}

/** Why nothing can be sent to a phone, or to anybody. */
export interface Unsendable {
  readonly phones: ReadonlyMap<string, string>;
  readonly all?: string;
  /** What a text to a phone has to name so that it can be sent. */
  readonly codes?: ReadonlyMap<string, number>;
}

/** Of the runs that somebody may have meant, so that they go into an SMS or two. */
const maxChoices = 8;
const maxJobLength = 30;

export class Step implements RunWithPeople {
  readonly run: Run;
  readonly people: Person[];
  readonly now: number;
  readonly entries: Entry[] = [];
  /** One for each person at most: the last one says how it is. */
  readonly texts = new Map<number, OutgoingText>();
  readonly changed = new Set<number>();
  /** Whose questions are to be taken back, if no carrier has them yet. */
  withdraw: readonly number[] = [];
  readonly #unsendable: Unsendable;

  constructor({ run, people }: RunWithPeople, now: number, unsendable: Unsendable) {
    this.run = { ...run, tasks: run.tasks.map((task) => ({ ...task })) };
    this.people = people.map((person) => ({ ...person }));
    this.now = now;
    this.#unsendable = unsendable;
  }

  note(kind: EntryKind, details: Partial<Omit<Entry, 'kind' | 'at'>> = {}): void {
    this.entries.push({ kind, at: this.now, by: system, ...details });
    this.run.entries += 1;
  }

  change(person: Person, values: Partial<Person>): void {
    Object.assign(person, values);
    this.changed.add(person.place);
  }

  find(phone: string): Person | undefined {
    return this.people.find((person) => person.phone === phone);
  }

  /** Why a text can't be sent to the person; undefined: it can. */
  whyNot({ phone }: Person): string | undefined {
    if (phone === null) return 'no phone number';
    return this.#unsendable.phones.get(phone) ?? this.#unsendable.all;
  }

  /** Asks those who can be reached, in one entry. */
  ask(people: readonly Person[], why: string): void {
    const asked: number[] = [];
    for (const person of people) {
      const obstacle = this.whyNot(person);
      if (obstacle === undefined) {
        this.change(person, { state: 'asked', askedAt: this.now, unneeded: false, reminded: false });
        this.#put(person, this.#question(person), true);
        asked.push(person.place);
      } else {
        this.change(person, { state: 'unreachable' });
        this.note('unreached', { people: [person.place], why: obstacle });
      }
    }
    if (asked.length > 0) this.note('ask', { people: asked, why });
  }

  remind(person: Person): void {
    this.change(person, { reminded: true });
    if (this.whyNot(person) !== undefined) return;
    const { settings, jobName: job } = this.run;
    this.#put(person, textOf(settings, 'reminderText', { job, message: this.#question(person) }), true);
  }

  /** Once for each answer that may be to several runs. */
  askWhich(person: Person, choices: readonly Choice[]): void {
    if (person.replies >= maxReplies) return;
    this.change(person, { replies: person.replies + 1 });
    const names = choices
      .slice(0, maxChoices)
      .map(({ code, job }) => `${code} (${job.slice(0, maxJobLength)})`);
    this.write(person, textOf(this.run.settings, 'whichText', { choices: names.join(', ') }));
  }

  /** Tells how it stands, or what has changed. */
  say(person: Person, name: ReplyName): void {
    this.write(person, textOf(this.run.settings, name, this.#valuesFor(person)));
  }

  write(person: Person, text: string): void {
    const obstacle = this.whyNot(person);
    if (obstacle === undefined) this.#put(person, text, false);
    else if (person.phone !== null) this.note('notSent', { people: [person.place], text, why: obstacle });
  }

  /** As an answer to what the person wrote. */
  reply(person: Person, name: ReplyName): void {
    if (person.replies >= maxReplies) return;
    this.change(person, { replies: person.replies + 1 });
    this.say(person, name);
  }

  /** Names the code where the person is asked by several runs from one number. */
  #question(person: Person): string {
    const { settings, jobName: job, message } = this.run;
    const code = this.#codeOf(person);
    return code === undefined ? message : textOf(settings, 'codeText', { job, message, code });
  }

  #codeOf(person: Person): number | undefined {
    const code = this.#unsendable.codes?.get(person.phone ?? '');
    if (code !== undefined && code !== person.code) this.change(person, { code });
    return person.code;
  }

  #put(person: Person, text: string, isQuestion: boolean): void {
    this.texts.set(person.place, { place: person.place, phone: person.phone as string, text, isQuestion });
  }

  #valuesFor(person: Person) {
    const { tasks, jobName } = this.run;
    const goals = tasks.reduce((sum, { goal }) => sum + (goal ?? this.people.length), 0);
    const found = tasks.reduce((sum, _, place) => sum + heldIn(this, place), 0);
    const rank = reservesOf(this.people).indexOf(person) + 1;
    const code = this.#codeOf(person);
    return { job: jobName, found, needed: goals, place: rank, ...(code !== undefined && { code }) };
  }

  /** Gives a person a place that is free. */
  assign(person: Person, task: number, by: string): void {
    if (placesFree(this, task) <= 0) throw new Error('a place was given twice');
    this.change(person, { state: 'yes', task, reserve: null });
    if (this.run.settings.generic === 'GMA') this.note('assign', { people: [person.place], task, by });
  }
}
