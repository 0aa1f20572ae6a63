/** One step of a run as it is worked out: the run as it becomes, and what is to be sent, told and taken back. */
import { type ReplyName, textOf } from '../texts.ts';
import { type Entry, type EntryKind, system } from './entry.ts';
import {
  type Choice,
  countHeld,
  maxReplies,
  type Person,
  placesFree,
  type Run,
  type RunWithPeople,
  type Task,
  type UnsentText,
} from './run.ts';

export interface OutgoingText {
  readonly place: number;
  /** Null: it goes by mail. */
  readonly phone: string | null;
  readonly text: string;
  /** The question, or a reminder of it: a failing receipt of it says that its person was not reached. */
  readonly isQuestion: boolean;
}

/** Why nothing can be sent to a phone, or to anybody. */
export interface Unsendable {
  readonly phones: ReadonlyMap<string, string>;
  readonly all?: string;
  /** To those who are asked by mail; absent: it can. */
  readonly mail?: string;
  /** What a text to a phone has to name so that it can be sent. */
  readonly codes?: ReadonlyMap<string, number>;
  readonly held?: Held;
}

/** What can't be sent now, and can be later: a limit or the quota does not cover all of it. */
export interface Held {
  readonly why: string;
  readonly until: number;
  /** So many texts can be sent now: those that answer somebody before questions. */
  readonly atMost: number;
}

interface Pending extends Omit<UnsentText, 'kind'> {
  readonly kind: UnsentText['kind'] | 'question';
}

/** How many of the runs that somebody may have meant are named: they are to go into an SMS or two. */
const maxChoices = 8;
const maxJobLength = 30;
/** The mails of one step: the others are for the next, which comes at once. */
export const maxMails = 1_000;
/** A text that could not be sent for so long is of no use any more. */
const patienceMs = 24 * 60 * 60_000;

/** Why a text can't be sent to a person; undefined: it can. */
export function obstacleTo(person: Person, { phones, all, mail }: Unsendable): string | undefined {
  if (person.phone !== null) return phones.get(person.phone) ?? all;
  if (person.email !== undefined) return mail;
  return person.hasAppOnly ? 'only an app address' : 'no phone number';
}

function hasAddress({ phone, email }: Person): boolean {
  return phone !== null || email !== undefined;
}

export class Step implements RunWithPeople {
  readonly run: Run;
  readonly people: Person[];
  readonly now: number;
  readonly entries: Entry[] = [];
  readonly changed = new Set<number>();
  /** Whose questions are to be taken back, if no carrier has them yet. */
  withdraw: readonly number[] = [];
  readonly #unsendable: Unsendable;
  /** Texts by person. */
  readonly #pending = new Map<number, readonly Pending[]>();
  /** How many of these people have phones, and how many don't: what limits SMS holds back no mail. */
  #pendingSms = 0;
  #pendingMails = 0;
  /** Whom an SMS is to be sent to later. */
  readonly #heldBack = new Set<number>();
  #isMoreMail = false;
  /** Places that are held in each task. */
  readonly #held: number[];
  #byPhone: ReadonlyMap<string | null, Person> | undefined;
  #turns: { readonly reserves: readonly Person[]; readonly spares: readonly Person[] } | undefined;

  constructor({ run, people }: RunWithPeople, now: number, unsendable: Unsendable) {
    this.run = { ...run, tasks: run.tasks.map((task) => ({ ...task })) };
    this.people = people.map((person) => ({ ...person }));
    this.now = now;
    this.#unsendable = unsendable;
    this.#held = countHeld(this);
    for (const { place, phone, unsent } of people) {
      if (unsent === undefined) continue;
      this.#pending.set(place, unsent);
      this.#countPending(phone);
    }
  }

  #countPending(phone: string | null): void {
    if (phone === null) this.#pendingMails += 1;
    else this.#pendingSms += 1;
  }

  note(kind: EntryKind, details: Partial<Omit<Entry, 'kind' | 'at'>> = {}): void {
    this.entries.push({ kind, at: this.now, by: system, ...details });
    this.run.entries += 1;
  }

  change(person: Person, values: Partial<Person>): void {
    if (values.task !== undefined) {
      if (person.task !== null) this.#held[person.task] = this.#heldIn(person.task) - 1;
      if (values.task !== null) this.#held[values.task] = this.#heldIn(values.task) + 1;
    }
    const { reserve, spare } = person;
    Object.assign(person, values);
    if (person.reserve !== reserve || person.spare !== spare) this.#turns = undefined;
    this.changed.add(person.place);
  }

  find(phone: string): Person | undefined {
    this.#byPhone ??= new Map(this.people.map((person) => [person.phone, person]));
    return this.#byPhone.get(phone);
  }

  /** Places that are free in a task; infinitely many where it has no goal. */
  free(task: number): number {
    return placesFree(this.run.tasks[task] as Task, this.#heldIn(task));
  }

  #heldIn(task: number): number {
    return this.#held[task] ?? 0;
  }

  isGoalReached(): boolean {
    return this.run.tasks.every((_, place) => this.free(place) <= 0);
  }

  /** In their order. */
  reserves(): readonly Person[] {
    return this.#inTurn().reserves;
  }

  /** Who said YES when all places were taken, and is no reserve; in their order. */
  spares(): readonly Person[] {
    return this.#inTurn().spares;
  }

  #inTurn() {
    const by = (turn: (person: Person) => number | null | undefined) =>
      this.people
        .filter((person) => typeof turn(person) === 'number')
        .sort((a, b) => (turn(a) as number) - (turn(b) as number));
    this.#turns ??= { reserves: by(({ reserve }) => reserve), spares: by(({ spare }) => spare) };
    return this.#turns;
  }

  /** Why a text can't be sent to the person, now or later; undefined: it can. */
  whyNot(person: Person): string | undefined {
    return obstacleTo(person, this.#unsendable);
  }

  /** Returns how many of them can't be sent to. */
  giveUp(people: readonly Person[]): number {
    let count = 0;
    for (const person of people) {
      const why = this.whyNot(person);
      if (why === undefined) continue;
      this.change(person, { state: 'unreachable' });
      this.note('unreached', { people: [person.place], why });
      count += 1;
    }
    return count;
  }

  /** Asks people who can be sent to, in one entry. Returns how many were asked. */
  ask(people: readonly Person[], why: string): number {
    const asked: number[] = [];
    for (const person of people) {
      if (!this.#mayAsk(person)) continue;
      this.change(person, { state: 'asked', askedAt: this.now, unneeded: false, reminded: false });
      this.#put(person, this.#question(person), 'question');
      asked.push(person.place);
    }
    if (asked.length > 0) this.note('ask', { people: asked, why });
    return asked.length;
  }

  /** False: it is tried again later. */
  remind(person: Person): boolean {
    const obstacle = this.whyNot(person);
    if (obstacle === undefined && !this.#mayAsk(person)) return false;
    this.change(person, { reminded: true });
    if (obstacle !== undefined) return true;
    const { settings, jobName: job } = this.run;
    const message = this.#question(person);
    this.#put(person, textOf(settings, 'reminderText', { job, message }), 'question');
    return true;
  }

  /** A question that can't be sent now is not put; nor is it tried before its time, since each answer makes a step. */
  #mayAsk({ place, phone }: Person): boolean {
    const { held } = this.#unsendable;
    const isTime = (this.run.heldUntil ?? 0) <= this.now;
    const isRoom =
      phone === null
        ? this.#pendingMails < maxMails
        : isTime && (held === undefined || this.#pendingSms < held.atMost);
    if (isRoom) return true;
    this.#holdBack(place, phone);
    return false;
  }

  /** Once for each answer that may be to several runs. */
  askWhich(person: Person, choices: readonly Choice[]): void {
    if (person.replies >= maxReplies) return;
    this.change(person, { replies: person.replies + 1 });
    const names = choices
      .slice(0, maxChoices)
      .map(({ code, job }) => `${code} (${job.slice(0, maxJobLength)})`);
    this.#write(person, textOf(this.run.settings, 'whichText', { choices: names.join(', ') }), 'which');
  }

  /** Tells how it stands, or what has changed. */
  say(person: Person, name: ReplyName): void {
    this.#write(person, textOf(this.run.settings, name, this.#valuesFor(person)), 'standing');
  }

  /** In the owner's words. */
  tell(person: Person, text: string): void {
    this.#write(person, text, 'told');
  }

  #write(person: Person, text: string, kind: UnsentText['kind']): void {
    const obstacle = this.whyNot(person);
    if (obstacle === undefined) this.#put(person, text, kind);
    else if (hasAddress(person)) this.note('notSent', { people: [person.place], text, why: obstacle });
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

  /** The last text that says how it is stays, the question too; so does the last that asks which run is meant. */
  #put({ place, phone }: Person, text: string, kind: Pending['kind']): void {
    const isLike = (one: Pending) =>
      kind !== 'told' && one.kind !== 'told' && (one.kind === 'which') === (kind === 'which');
    const others = (this.#pending.get(place) ?? []).filter((one) => !isLike(one));
    if (!this.#pending.has(place)) this.#countPending(phone);
    this.#pending.set(place, [...others, { text, kind, since: this.now }]);
  }

  /** The texts that go out with this step, at most one to each person: the others of it wait for the next. */
  send(): readonly OutgoingText[] {
    const { held } = this.#unsendable;
    const sent: OutgoingText[] = [];
    const count = { sms: 0, mails: 0 };
    // A question has its room already.
    const isAsked = ([, texts]: readonly [number, readonly Pending[]]) => texts.some(isQuestion);
    const [asked, told] = [
      [...this.#pending].filter(isAsked),
      [...this.#pending].filter((one) => !isAsked(one)),
    ];
    for (const [place, texts] of [...asked, ...told]) {
      const person = this.people[place] as Person;
      const wanted = this.#stillWanted(person, texts);
      const { phone } = person;
      const isFull =
        phone === null ? count.mails >= maxMails : held !== undefined && count.sms >= held.atMost;
      const isHeld = isFull && !wanted.some(isQuestion);
      const next = isHeld ? undefined : (wanted.find(isQuestion) ?? wanted[0]);
      if (isHeld && wanted.length > 0) this.#holdBack(place, phone);
      if (next !== undefined) {
        sent.push({ place, phone, text: next.text, isQuestion: isQuestion(next) });
        count[phone === null ? 'mails' : 'sms'] += 1;
      }
      const rest = wanted.filter((text) => text !== next) as readonly UnsentText[];
      if (rest.length > 0 || person.unsent !== undefined)
        this.change(person, { unsent: rest.length > 0 ? rest : undefined });
    }
    this.#noteHeld();
    return sent;
  }

  /** Without what can't be sent any more: it says so. */
  #stillWanted(person: Person, texts: readonly Pending[]): readonly Pending[] {
    const obstacle = this.whyNot(person);
    return texts.filter(({ text, since }) => {
      const why = obstacle ?? (this.now - since > patienceMs ? 'it could not be sent for a day' : undefined);
      if (why !== undefined) this.note('notSent', { people: [person.place], text, why });
      return why === undefined;
    });
  }

  #holdBack(place: number, phone: string | null): void {
    if (phone === null) this.#isMoreMail = true;
    else this.#heldBack.add(place);
  }

  #noteHeld(): void {
    const { held } = this.#unsendable;
    const isNew = this.run.heldUntil === undefined;
    this.run.heldUntil = this.#heldBack.size > 0 ? (held?.until ?? this.run.heldUntil) : undefined;
    if (this.#isMoreMail) this.run.heldUntil = this.now;
    if (isNew && held !== undefined && this.#heldBack.size > 0)
      this.note('notSent', { people: [...this.#heldBack], why: `${held.why}: it is tried again` });
  }

  #valuesFor(person: Person) {
    const { tasks, jobName } = this.run;
    const goals = tasks.reduce((sum, { goal }) => sum + (goal ?? this.people.length), 0);
    const found = this.#held.reduce((sum, held) => sum + held, 0);
    const place = this.reserves().indexOf(person) + 1;
    const code = this.#codeOf(person);
    return { job: jobName, found, needed: goals, place, ...(code !== undefined && { code }) };
  }

  /** Gives a person a place that is free. */
  assign(person: Person, task: number, by: string): void {
    if (this.free(task) <= 0) throw new Error('a place was given twice');
    this.change(person, { state: 'yes', task, reserve: null, spare: undefined });
    if (this.run.settings.generic === 'GMA') this.note('assign', { people: [person.place], task, by });
  }
}

function isQuestion({ kind }: Pending): boolean {
  return kind === 'question';
}
