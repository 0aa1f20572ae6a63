/** The tables of saved jobs and their runs. They are a schema step in a separate file, because the step is long. */

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
