/** The tables of alerts: who gets them, what fires, what people were woken for, and what is told to the sources. */

export function alertTables(clustered: string): readonly string[] {
  return [...receiverTables(clustered), ...incidentTables];
}

function receiverTables(clustered: string): readonly string[] {
  return [
    // `settings` and `acknowledge` are JSON; secrets in the latter are sealed. `firing`: how many alerts fire, of which only so
    // many are kept; `left_out`: how many more have come since the last incident. `due_at`: when alerts that wait become an
    // incident.
    `CREATE TABLE alert_receivers (
      company_id BIGINT NOT NULL REFERENCES companies (id),
      name TEXT NOT NULL,
      id BIGINT NOT NULL,
      source SMALLINT NOT NULL,
      user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      settings TEXT NOT NULL,
      acknowledge TEXT,
      version INTEGER NOT NULL DEFAULT 1,
      firing INTEGER NOT NULL DEFAULT 0,
      left_out INTEGER NOT NULL DEFAULT 0,
      due_at BIGINT,
      PRIMARY KEY (company_id, name)
    )`,
    'CREATE UNIQUE INDEX alert_receivers_id ON alert_receivers (id)',
    'CREATE INDEX alert_receivers_user ON alert_receivers (user_id)',
    'CREATE INDEX alert_receivers_due ON alert_receivers (due_at) WHERE due_at IS NOT NULL',
    // `state`: firing 0, resolved 1. `fired_at`: since when it fires, by our clock, and `place` its place in that post.
    // `is_waiting`: whether it waits for an incident. `joined_at`: when it came to its present incident. `alert` is JSON.
    `CREATE TABLE alerts (
      company_id BIGINT NOT NULL,
      receiver_id BIGINT NOT NULL,
      fingerprint TEXT NOT NULL,
      state SMALLINT NOT NULL,
      is_waiting SMALLINT NOT NULL,
      incident_id BIGINT,
      joined_at BIGINT,
      fired_at BIGINT NOT NULL,
      place INTEGER NOT NULL,
      heard_at BIGINT NOT NULL,
      times INTEGER NOT NULL,
      resolved_at BIGINT,
      alert TEXT NOT NULL,
      PRIMARY KEY (company_id, receiver_id, fingerprint)
    )${clustered}`,
    'CREATE INDEX alerts_waiting ON alerts (receiver_id, fired_at, place) WHERE is_waiting = 1',
    'CREATE INDEX alerts_incident ON alerts (incident_id, joined_at, place) WHERE incident_id IS NOT NULL',
    'CREATE INDEX alerts_silent ON alerts (heard_at) WHERE state = 0',
    'CREATE INDEX alerts_resolved ON alerts (resolved_at) WHERE resolved_at IS NOT NULL',
  ];
}

const incidentTables = [
  // What people were woken for. `state`: opening 0, open 1, ended 2, failed 3. `version` rises with each change. `due_at`:
  // when there is something to do. `first` is the alert whose text stands for all, `action` who is woken, both as JSON;
  // `user_id` acts and pays. `message`: what people were told. `grown_at`: when the last alert joined. `alerts`: all that
  // ever joined; `firing`: those that fire still; `untold`: those that people have not been told of, since `untold_at`.
  // `messages` SMS from `message_id` on were sent. `silenced_at`: alerts that joined until then are acknowledged at the
  // source. `attempts`: tries since the last that worked, with the present one.
  `CREATE TABLE incidents (
    id BIGINT NOT NULL PRIMARY KEY,
    company_id BIGINT NOT NULL,
    receiver_id BIGINT NOT NULL,
    receiver TEXT NOT NULL,
    user_id BIGINT NOT NULL,
    state SMALLINT NOT NULL,
    version BIGINT NOT NULL,
    due_at BIGINT,
    title TEXT NOT NULL,
    first TEXT NOT NULL,
    action TEXT NOT NULL,
    message TEXT NOT NULL,
    opened_at BIGINT NOT NULL,
    grown_at BIGINT NOT NULL,
    ended_at BIGINT,
    ended_by TEXT,
    alerts INTEGER NOT NULL,
    firing INTEGER NOT NULL,
    left_out INTEGER NOT NULL,
    untold INTEGER NOT NULL,
    untold_at BIGINT,
    told_at BIGINT,
    run_id BIGINT,
    run_version BIGINT NOT NULL,
    run_ended SMALLINT NOT NULL,
    message_id BIGINT,
    messages INTEGER NOT NULL,
    acknowledged_at BIGINT,
    acknowledged_by TEXT,
    silenced_at BIGINT,
    attempts INTEGER NOT NULL,
    reason TEXT
  )`,
  'CREATE INDEX incidents_due ON incidents (due_at) WHERE due_at IS NOT NULL',
  'CREATE INDEX incidents_company ON incidents (company_id, id)',
  'CREATE INDEX incidents_company_state ON incidents (company_id, state, id)',
  'CREATE INDEX incidents_user ON incidents (user_id, id)',
  'CREATE INDEX incidents_user_state ON incidents (user_id, state, id)',
  'CREATE INDEX incidents_receiver ON incidents (receiver_id, id)',
  'CREATE INDEX incidents_receiver_state ON incidents (receiver_id, state, id)',
  'CREATE INDEX incidents_watched ON incidents (id) WHERE state = 1 AND run_id IS NOT NULL AND run_ended = 0',
  'CREATE INDEX incidents_ended ON incidents (ended_at) WHERE ended_at IS NOT NULL',
  // What a source is told of an acknowledgement. `state`: waiting 0, done 1, failed 2. `due_at`: the next try; null after
  // the last. `request` is JSON without secrets. `result`: what the source answered; `reason`: why the last try failed.
  `CREATE TABLE alert_acknowledgements (
    id BIGINT NOT NULL PRIMARY KEY,
    company_id BIGINT NOT NULL,
    receiver_id BIGINT NOT NULL,
    incident_id BIGINT NOT NULL,
    request TEXT NOT NULL,
    state SMALLINT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at BIGINT,
    created_at BIGINT NOT NULL,
    ended_at BIGINT,
    result TEXT,
    reason TEXT
  )`,
  'CREATE INDEX alert_acknowledgements_due ON alert_acknowledgements (due_at) WHERE due_at IS NOT NULL',
  'CREATE INDEX alert_acknowledgements_incident ON alert_acknowledgements (incident_id, id)',
  'CREATE INDEX alert_acknowledgements_age ON alert_acknowledgements (created_at)',
];
