/** The tables of saved jobs and their runs. They are a schema step in a separate file, because the step is long. */
import type { Dialect } from './sql.ts';

export function jobTables(clustered: string): readonly string[] {
  return [
    // The owner of the jobs that the user may start.
    'ALTER TABLE users ADD COLUMN job_owner_id BIGINT REFERENCES system_users (id) ON DELETE SET NULL',
    'CREATE INDEX users_job_owner ON users (job_owner_id) WHERE job_owner_id IS NOT NULL',
    `CREATE TABLE job_types (
      company_id BIGINT NOT NULL REFERENCES companies (id),
      name TEXT NOT NULL,
      settings TEXT NOT NULL,
      PRIMARY KEY (company_id, name)
    )${clustered}`,
    `CREATE TABLE saved_jobs (
      company_id BIGINT NOT NULL REFERENCES companies (id),
      id BIGINT NOT NULL,
      system_user_id BIGINT NOT NULL REFERENCES system_users (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      content TEXT NOT NULL,
      PRIMARY KEY (company_id, id)
    )${clustered}`,
    'CREATE INDEX saved_jobs_owner ON saved_jobs (system_user_id, id)',
    // `version`: the version of the run and its people, incremented by the steps. `due_at`: when the run next has
    // something to do without another event.
    `CREATE TABLE job_runs (
      id BIGINT NOT NULL PRIMARY KEY,
      company_id BIGINT NOT NULL,
      system_user_id BIGINT NOT NULL,
      version BIGINT NOT NULL,
      due_at BIGINT,
      ended_at BIGINT,
      run TEXT NOT NULL
    )`,
    'CREATE INDEX job_runs_due ON job_runs (due_at) WHERE due_at IS NOT NULL',
    'CREATE INDEX job_runs_company ON job_runs (company_id, id)',
    'CREATE INDEX job_runs_ended ON job_runs (ended_at) WHERE ended_at IS NOT NULL',
    `CREATE TABLE job_people (
      run_id BIGINT NOT NULL,
      place INTEGER NOT NULL,
      person TEXT NOT NULL,
      PRIMARY KEY (run_id, place)
    )${clustered}`,
    // The run's timeline.
    `CREATE TABLE job_entries (
      run_id BIGINT NOT NULL,
      place INTEGER NOT NULL,
      entry TEXT NOT NULL,
      PRIMARY KEY (run_id, place)
    )${clustered}`,
    // Messages of a run. `is_question` 1: a failure receipt for it means that the person was not reached.
    `CREATE TABLE job_messages (
      company_id BIGINT NOT NULL,
      message_id BIGINT NOT NULL,
      run_id BIGINT NOT NULL,
      place INTEGER NOT NULL,
      is_question SMALLINT NOT NULL,
      PRIMARY KEY (company_id, message_id)
    )${clustered}`,
    'CREATE INDEX job_messages_run ON job_messages (run_id, place, message_id)',
    // Events of a run that have not been processed yet, each stored once.
    `CREATE TABLE job_events (
      run_id BIGINT NOT NULL,
      name TEXT NOT NULL,
      at BIGINT NOT NULL,
      event TEXT NOT NULL,
      PRIMARY KEY (run_id, name)
    )`,
    // SMS that answer a run, kept until the run processes them. `question_id`: the message that each SMS answers.
    `CREATE TABLE job_answers (
      id BIGINT NOT NULL PRIMARY KEY,
      run_id BIGINT NOT NULL,
      company_id BIGINT NOT NULL,
      user_id BIGINT NOT NULL,
      sender TEXT NOT NULL,
      recipient TEXT NOT NULL,
      text TEXT NOT NULL,
      question_id BIGINT NOT NULL,
      received_at BIGINT NOT NULL
    )`,
    'CREATE INDEX job_answers_run ON job_answers (run_id, received_at, id)',
  ];
}

/** A processed answer is kept until the run is removed, so that it is never processed again. */
export const takenAnswers: readonly string[] = [
  'ALTER TABLE job_answers ADD COLUMN taken SMALLINT NOT NULL DEFAULT 0',
  'DROP INDEX job_answers_run',
  'CREATE INDEX job_answers_run ON job_answers (run_id)',
  'CREATE INDEX job_answers_waiting ON job_answers (run_id, received_at, id) WHERE taken = 0',
];

/**
 * `state`: waiting 0, accepted by the relay 1, failed 2. An e-mail's outcome waits in `question_outcomes` until it is recorded
 * here.
 */
export function jobMailTables(clustered: string): readonly string[] {
  return [
    `CREATE TABLE job_mails (
      message_id TEXT NOT NULL PRIMARY KEY,
      run_id BIGINT NOT NULL,
      place INTEGER NOT NULL,
      is_question SMALLINT NOT NULL,
      text TEXT NOT NULL,
      state SMALLINT NOT NULL,
      reason TEXT,
      changed_at BIGINT NOT NULL
    )${clustered}`,
    'CREATE INDEX job_mails_run ON job_mails (run_id)',
    `CREATE TABLE question_outcomes (
      message_id TEXT NOT NULL PRIMARY KEY,
      is_taken SMALLINT NOT NULL,
      reason TEXT NOT NULL,
      at BIGINT NOT NULL
    )${clustered}`,
  ];
}

/**
 * Each company's daily mail limit and how many e-mails it has sent. A run may outlive its company, and its e-mails are
 * then refused.
 */
export function jobMailCounts(clustered: string): readonly string[] {
  return [
    'ALTER TABLE companies ADD COLUMN mails_per_day BIGINT',
    `CREATE TABLE job_mail_counts (
      company_id BIGINT NOT NULL PRIMARY KEY,
      day BIGINT NOT NULL,
      mails BIGINT NOT NULL
    )${clustered}`,
  ];
}

/**
 * What lists of runs and of their people are read by, beside the JSON that holds it: a run's phase, its saved job and its
 * tally, a person's state, and whether the person's last answer is not clear. The codes are those of `jobs/run/run.ts`.
 */
export function jobLists(dialect: Dialect): readonly string[] {
  return [
    'ALTER TABLE job_runs ADD COLUMN phase SMALLINT NOT NULL DEFAULT 0',
    'ALTER TABLE job_runs ADD COLUMN saved_job_id BIGINT NOT NULL DEFAULT 0',
    // When the run was last changed, by a step or an act.
    'ALTER TABLE job_runs ADD COLUMN changed_at BIGINT NOT NULL DEFAULT 0',
    "ALTER TABLE job_runs ADD COLUMN tally TEXT NOT NULL DEFAULT '{}'",
    'ALTER TABLE job_people ADD COLUMN state SMALLINT NOT NULL DEFAULT 0',
    'ALTER TABLE job_people ADD COLUMN is_unclear SMALLINT NOT NULL DEFAULT 0',
    ...countedRuns(dialect),
    'CREATE INDEX job_runs_company_phase ON job_runs (company_id, phase, id)',
    'CREATE INDEX job_runs_company_job ON job_runs (company_id, saved_job_id, phase, id)',
    'CREATE INDEX job_runs_owner_phase ON job_runs (system_user_id, phase, id)',
    'CREATE INDEX job_runs_owner_job ON job_runs (system_user_id, saved_job_id, phase, id)',
    'CREATE INDEX job_people_state ON job_people (run_id, state, place)',
    'CREATE INDEX job_people_unclear ON job_people (run_id, place) WHERE is_unclear = 1',
    'DROP INDEX job_mails_run',
    'CREATE INDEX job_mails_person ON job_mails (run_id, place, changed_at)',
    ...(dialect === 'sqlite' ? sqliteTriggers : postgresTriggers),
  ];
}

const phases = ['scheduled', 'open', 'finished', 'ended'];
const states = ['waiting', 'asked', 'unreachable', 'yes', 'no'];
const codeIn = (names: readonly string[]) =>
  names.map((name, code) => `WHEN '${name}' THEN ${code}`).join(' ');

/** Fills the columns for the runs that exist. Runs under way are counted again by their next step, which is due at once. */
function countedRuns(dialect: Dialect): readonly string[] {
  const isSqlite = dialect === 'sqlite';
  const [run, person] = isSqlite ? ['run', 'person'] : ['run::json', 'person::json'];
  const of = 'SELECT COUNT(*) FROM job_people WHERE run_id = job_runs.id';
  const people = states.map((name, code) => `"${name}":' || (${of} AND state = ${code}) || '`).join(',');
  const held = isSqlite
    ? `SELECT json_group_array(held) FROM (SELECT (${of} AND CAST(person->>'task' AS INTEGER) = task.key) AS held
         FROM json_each(run, '$.tasks') AS task ORDER BY task.key)`
    : `SELECT COALESCE(json_agg((${of} AND (person::json->>'task')::BIGINT = task.place - 1) ORDER BY task.place), '[]')
         FROM json_array_elements(run::json->'tasks') WITH ORDINALITY AS task(task, place)`;
  return [
    `UPDATE job_people SET state = CASE ${person}->>'state' ${codeIn(states)} ELSE 0 END`,
    `UPDATE job_runs SET phase = CASE ${run}->>'phase' ${codeIn(phases)} ELSE 3 END,
       saved_job_id = COALESCE(CAST(${run}->>'savedJobId' AS BIGINT), 0),
       tally = '{"people":{${people}},"held":' || (${held}) || ',"short":false,"canAsk":0}'`,
    'UPDATE job_runs SET due_at = 0 WHERE phase IN (1, 2)',
  ];
}

/** Viewers of runs are notified when one changes. See `change-tables.ts`. */
const journalColumns = 'company_id, kind, subject_id, batch_id, status, changed_at';
const isTracked = (company: string) =>
  `EXISTS (SELECT 1 FROM change_listeners WHERE company_id = ${company})`;
const ofRun = 'NEW.company_id, 4, NEW.id, NULL, NULL, NEW.changed_at';
const companyOfMail = '(SELECT company_id FROM job_runs WHERE id = NEW.run_id)';
const ofMail = `${companyOfMail}, 4, NEW.run_id, NULL, NULL, NEW.changed_at`;

const sqliteTriggers = [
  ['job_runs_journal_begun', 'INSERT ON job_runs', 'NEW.company_id', ofRun],
  ['job_runs_journal', 'UPDATE OF version ON job_runs', 'NEW.company_id', ofRun],
  ['job_mails_journal', 'UPDATE OF state ON job_mails', companyOfMail, ofMail],
].map(
  ([
    name,
    event,
    company = '',
    values,
  ]) => `CREATE TRIGGER ${name} AFTER ${event} WHEN ${isTracked(company)} BEGIN
      INSERT INTO changes (place, ${journalColumns})
      VALUES ((SELECT COALESCE(MAX(place), 0) + 1 FROM changes), ${values});
    END`,
);

const postgresTriggers = [
  ['journal_run', 'job_runs_journal', 'INSERT OR UPDATE OF version ON job_runs', 'NEW.company_id', ofRun],
  ['journal_run_mail', 'job_mails_journal', 'UPDATE OF state ON job_mails', companyOfMail, ofMail],
].flatMap(([write, name, event, company = '', values]) => [
  `CREATE FUNCTION ${write}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO changes (${journalColumns}) SELECT ${values} WHERE ${isTracked(company)};
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER ${name} AFTER ${event} FOR EACH ROW EXECUTE FUNCTION ${write}()`,
]);
