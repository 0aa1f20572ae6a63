/** Runs saved jobs on a store without a server: a test controls the clock and triggers each step. */

import { Turns } from '../../src/foundation/turns.ts';
import type { JobSending } from '../../src/jobs/job-mail.ts';
import { type JobTypeSettings, standardSettings } from '../../src/jobs/job-type.ts';
import { type Kept, keepAdvanced, proceed } from '../../src/jobs/proceed.ts';
import { newPerson, type Person, type Task } from '../../src/jobs/run/run.ts';
import { listReadyRuns } from '../../src/jobs/run-store.ts';
import { readRuns, type StoredRun } from '../../src/jobs/stored-runs.ts';
import { receive } from '../../src/messages/incoming/incoming.ts';
import { RoutingTable } from '../../src/routing/routing-table.ts';
import { Ids } from '../../src/storage/ids.ts';
import { News } from '../../src/storage/news.ts';
import type { Store } from '../../src/storage/store.ts';
import { SavedTemplates } from '../../src/templates/saved-templates.ts';
import type { OptOutPolicy } from '../../src/wire/category.ts';
import { listTexts, type TestText } from './job-verbs.ts';
import { callerOf } from './messaging-room.ts';
import { testRun } from './test-run.ts';

export interface NewTestRun {
  readonly id: number;
  readonly people: number;
  /** Minutes until the run starts. */
  readonly startsIn?: number;
  readonly settings?: Partial<JobTypeSettings>;
  readonly tasks?: readonly Task[];
  /** Phone numbers by person, instead of those from `phoneAt`. */
  readonly phones?: Readonly<Record<number, string>>;
  /** E-mail addresses by person, for people without a phone. */
  readonly emails?: Readonly<Record<number, string>>;
  /** Candidacies by person; by default the first level of the first task. */
  readonly candidacies?: (place: number) => Person['candidacies'];
}

export const phoneAt = (place: number) => `46701${String(place).padStart(4, '0')}14`;

/** The runs belong to company 1 and its user 10 and use carrier 1, whose only route is to Sweden. */
export class JobsRoom {
  readonly sending: JobSending;
  readonly clock: { time: number; now: () => number };
  readonly #incoming: Ids;
  /** What the account that starts runs knows of its company's policy. */
  optOuts: OptOutPolicy = 'off';

  constructor(
    store: Store,
    clock: { time: number; now: () => number },
    { mail }: Partial<Pick<JobSending, 'mail'>> = {},
  ) {
    const carrier = { id: 1, name: 'sim', type: 'simulator' as const, settings: {} };
    const routes = new RoutingTable([{ name: 'sweden', prefix: '46', carriers: ['sim'] }], [carrier]);
    this.clock = clock;
    this.#incoming = new Ids(store, 'incoming', 10);
    this.sending = {
      mail,
      store,
      clock,
      ids: new Ids(store, 'message', 100),
      routes: () => routes,
      templates: new SavedTemplates(store, new News(store)),
      dispatching: { expect: () => undefined, wake: () => undefined },
      observer: { accepted: () => undefined },
      security: { record: () => undefined },
      turns: new Turns(),
      personSecret: '00',
    };
  }

  /** Starts a run that asks the first people at once. */
  start({
    id,
    people,
    startsIn = 0,
    settings,
    tasks,
    phones = {},
    emails = {},
    candidacies = () => [[0, 0]],
  }: NewTestRun): Promise<Kept> {
    const now = this.clock.now();
    const everybody: Task = {
      name: '',
      goal: null,
      levels: [{ name: 'everybody', afterMinutes: 0 }],
      opened: 0,
      waveAt: null,
    };
    const run = testRun({
      id,
      starter: 'first',
      message: 'Can you come?',
      startAt: now + startsIn * 60_000,
      tasks: tasks ?? [everybody],
      settings: { ...standardSettings(tasks === undefined ? 'GMM' : 'GMA'), ...settings },
    });
    const asked = Array.from({ length: people }, (_, place) =>
      newPerson({
        place,
        name: `P${place}`,
        contactId: `${place}`,
        ...(emails[place] === undefined
          ? { phone: phones[place] ?? phoneAt(place) }
          : { phone: null, email: emails[place] }),
        candidacies: candidacies(place),
      }),
    );
    const stored = {
      run,
      people: asked,
      version: 0,
      events: [],
      answers: [],
      choices: new Map(),
      hasMore: false,
    };
    return keepAdvanced(this.sending, stored, { ...callerOf(10), optOuts: this.optOuts });
  }

  proceed(runId: number): Promise<void> {
    return proceed(this.sending, [runId], (_, error) => {
      if (error !== undefined) throw error;
    });
  }

  /** Advances the run while there is anything to do. */
  async settle(runId: number): Promise<void> {
    const ready = () => this.sending.store.read(listReadyRuns, { now: this.clock.now(), limit: 100 });
    while ((await ready()).includes(runId)) await this.proceed(runId);
  }

  async read(runId: number): Promise<StoredRun> {
    const [stored] = (await this.sending.store.read(readRuns, [runId])).runs;
    if (stored === undefined) throw new Error(`there is no run ${runId}`);
    return stored;
  }

  /** The run's texts in order. */
  texts(runId: number): Promise<readonly TestText[]> {
    return this.sending.store.read(listTexts, runId);
  }

  async textsTo(runId: number, place: number): Promise<readonly string[]> {
    return (await this.texts(runId)).flatMap((one) => (one.place === place ? [one.text] : []));
  }

  /** Answers the run's latest question to the phone. Resolves with whether the answer belongs to someone. */
  async answer(
    runId: number,
    place: number,
    text: string,
    part?: { readonly part: number; readonly parts: number },
  ): Promise<boolean> {
    const from = (await this.texts(runId)).filter((one) => one.place === place).at(-1)?.from;
    if (from === undefined) throw new Error(`the run ${runId} has sent nothing to ${place}`);
    const services = {
      store: this.sending.store,
      clock: this.clock,
      ids: this.#incoming,
      personSecret: '00',
    };
    const sms = { sender: phoneAt(place), recipient: from, text };
    const concatenation = part && { reference: 5, ...part };
    const { routed } = await receive(services, 1, { ...sms, ...(concatenation && { concatenation }) });
    return routed;
  }
}
