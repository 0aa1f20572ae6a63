/** What another room sees of a run that it has started: how far it has come, who holds a place, and who should hear more. */
import { literal, oneOf } from '../storage/sql.ts';
import { bigint, enumerated, json, StoredRecord } from '../storage/stored-record.ts';
import { inTurns, type Reading, type ReadOwner, readVerb, snapshotVerb } from '../storage/verb.ts';
import { isSilent, maxPeople, type Person, personStates, phases, type Run } from './run/run.ts';
import type { Tally } from './run/tally.ts';
import { storedPerson, storedRun } from './stored-runs.ts';

export interface RunProgress {
  readonly version: number;
  readonly isEnded: boolean;
  /** How many people hold places. */
  readonly held: number;
}

const progress = new StoredRecord({
  id: bigint,
  version: bigint,
  phase: enumerated(phases),
  tally: json<Partial<Tally>>(),
});

/** The progress of each run, by its id; runs that have been purged are absent. */
export async function readProgress(
  reading: Reading,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RunProgress>> {
  if (ids.length === 0) return new Map();
  const found = await progress.all(reading)`FROM job_runs WHERE id ${oneOf('bigint', ids)}`;
  return new Map(
    found.map(({ id, version, phase, tally }) => {
      const held = (tally.held ?? []).reduce((sum, one) => sum + one, 0);
      return [id, { version, isEnded: phase === 'ended', held }] as const;
    }),
  );
}

const codeOf = (state: Person['state']) => literal(personStates.indexOf(state));
/** Those who said YES first are among the first of these; a run has few places. */
const maxHolders = 1_000;

/** Who holds a place, the first who said YES; null if nobody does. */
export const findHolder = readVerb(
  'jobs.findHolder',
  async (reading, runId: number): Promise<Pick<Person, 'name' | 'phone' | 'email'> | null> => {
    const found = await storedPerson.all(reading)`
      FROM job_people WHERE run_id = ${runId} AND state = ${codeOf('yes')} ORDER BY place LIMIT ${literal(maxHolders)}`;
    const holders = found.filter(({ person }) => person.task !== null);
    const timeOf = ({ person: { answer } }: (typeof holders)[number]) =>
      answer?.at ?? Number.MAX_SAFE_INTEGER;
    const [first] = holders.sort((one, other) => timeOf(one) - timeOf(other));
    if (first === undefined) return null;
    const { name, phone, email } = first.person;
    return { name, phone, ...(email === undefined ? {} : { email }) };
  },
);

export interface Woken {
  readonly run: Run;
  /** People who hold a place. */
  readonly holders: readonly Person[];
  /** People who were asked and have neither answered nor been told that they aren't needed. */
  readonly silent: readonly Person[];
}

/** Whom it may concern how the matter goes on, after the run has ended; null if the run has been purged. */
export const readWoken = inTurns(
  snapshotVerb(
    'jobs.readWoken',
    async (
      reading,
      { runId }: { readonly runId: number; readonly owner: ReadOwner },
    ): Promise<Woken | null> => {
      const found = await storedRun.first(reading)`FROM job_runs WHERE id = ${runId}`;
      if (found === undefined) return null;
      const people = await storedPerson.all(reading)`
        FROM job_people WHERE run_id = ${runId} AND state IN (${codeOf('asked')}, ${codeOf('yes')})
        ORDER BY place LIMIT ${literal(maxPeople)}`;
      const those = (isMeant: (person: Person) => boolean) =>
        people.flatMap(({ person }) => (isMeant(person) ? [person] : []));
      const holds = ({ task }: Person) => task !== null;
      return {
        run: found.run as Run,
        holders: those(holds),
        silent: those((person) => !holds(person) && isSilent(person)),
      };
    },
  ),
  ({ owner }) => owner,
);
