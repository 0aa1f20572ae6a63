/**
 * Fills a store with a million messages and much else, one statement per table. Nearly all rows belong to one company, one
 * user and one carrier, so a statement that visits more than it needs has very many rows to visit.
 */
import { companyResources } from '../../src/company-resources.ts';
import { charge, lane, stage, status } from '../../src/messages/message.ts';
import type { Dialect } from '../../src/storage/sql.ts';

export const now = 1_700_000_000_000;
const dayMs = 86_400_000;
/** The owner of nearly everything: company 1, user 10, carrier 1, node 1. */
export const big = { companyId: 1, userId: 10, carrierId: 1, nodeId: 1, bookId: 1 } as const;
/** A user in the same company with little data. */
export const small = { companyId: 1, userId: 11 } as const;
export const messages = 1_000_000;
/** Messages from this one on belong to batches of `batchSize` each. */
export const firstOfBatches = 600_001;
export const batchSize = 10_000;
export const firstBatchId = 1_000;
/** A message whose receipt is still parked, although its part was stored. */
export const missed = 500_080;
/**
 * A carrier that sends one receipt per message; a two-part message waiting for that receipt; and a message of which the
 * carrier has one part.
 */
export const [withOneReceipt, long, halfTaken] = [2, 500_180, 999_648];

/** Sendings follow each other in steps of twenty ids, of which they have ten; the first message of each may be scheduled. */
export const [firstSending, messagesOfSending] = [6, 10];

const id = (kind: Readonly<Record<string, number>>, name: string) => kind[name] as number;

/** The values of a message row by its number `i`. */
function messageValues(): Readonly<Record<string, string>> {
  const isOfBatch = `i >= ${firstOfBatches}`;
  const at = `CASE
    WHEN i <= 300000 THEN NULL
    WHEN i % 20 < 4 THEN ${stage.awaitingReceipt}
    WHEN i % 20 < 6 THEN ${stage.waiting}
    WHEN i % 20 = 6 THEN ${stage.scheduled}
    WHEN i % 20 = 7 THEN ${stage.retrying}
    WHEN i % 20 = 8 AND i > 998000 THEN ${stage.inFlight} END`;
  return {
    company_id: `CASE WHEN ${isOfBatch} OR i % 100 <> 7 THEN 1 ELSE 2 END`,
    id: 'i',
    user_id: `CASE WHEN ${isOfBatch} THEN 10 WHEN i % 100 = 7 THEN 20 WHEN i % 50000 = 3 THEN 11 ELSE 10 END`,
    batch_id: `CASE WHEN ${isOfBatch} THEN ${firstBatchId} + (i - ${firstOfBatches}) / ${batchSize} END`,
    recipient: `'4670' || (1000000 + i)`,
    sender: `'Sender'`,
    text: `'Your appointment is tomorrow at 9:30.'`,
    flash: '0',
    parts: '1',
    conversation: `CASE WHEN NOT (${isOfBatch}) THEN '' WHEN i % 3 = 0 THEN 'big' ELSE 'c' || (i % 2000) END`,
    cost_center: `''`,
    created_at: `${now - 20 * dayMs} + CAST(i AS BIGINT) * 1000`,
    expires_at: `${now + dayMs} + i`,
    status: `CASE WHEN i <= 300000 THEN ${id(status, 'DELIVERED')} WHEN i % 20 < 4 THEN ${id(status, 'SENT')}
      WHEN i % 20 = 6 THEN ${id(status, 'SCHEDULED')} WHEN i % 20 IN (4, 5, 7, 8) THEN ${id(status, 'QUEUED')}
      ELSE ${id(status, 'DELIVERED')} END`,
    changed_at: `${now - 20 * dayMs} + CAST(i AS BIGINT) * 1000`,
    version: '1',
    unread: `CASE WHEN i % 2 = 0 AND i % 50000 <> 3 THEN 1 ELSE 0 END`,
    expired_by_timer: '0',
    carrier_id: 'CASE WHEN i % 97 = 0 THEN 3 WHEN i % 89 = 0 THEN 2 ELSE 1 END',
    lane: `CASE WHEN ${isOfBatch} THEN ${lane.bulk} ELSE ${lane.interactive} END`,
    stage: at,
    due_at: `CASE WHEN i <= 300000 OR i % 20 > 8 THEN NULL WHEN i % 20 IN (4, 5, 8)
      THEN ${now - 20 * dayMs} + CAST(i AS BIGINT) * 1000 ELSE ${now + dayMs} + CAST(i AS BIGINT) * 10 END`,
    // A second node has a few, at the end of the first node's queue.
    node_id: 'CASE WHEN i <= 300000 THEN NULL WHEN i > 999900 THEN 2 ELSE 1 END',
    attempts: `CASE WHEN i = ${halfTaken} THEN 2 WHEN i % 20 IN (4, 5, 6) THEN 0 ELSE 1 END`,
    charge: `CASE WHEN i % 20 IN (4, 5, 6, 8) AND i > 300000 THEN ${charge.reserved} ELSE ${charge.due} END`,
    in_doubt: '0',
  };
}

/** The run as `job_runs` stores it, with only the fields that the verbs read. */
const stockRun = JSON.stringify({ id: 1, companyId: 1, phase: 'open', typeName: 'type5' });

interface Table {
  readonly name: string;
  readonly rows: number;
  /** SQL for the `i`-th row, counting from 1. */
  readonly values: Readonly<Record<string, string>>;
}

const inTime = `${now - 20 * dayMs} + CAST(i AS BIGINT) * 10000`;

/** The second half of each resource belongs to another company. The first thousand have the most former versions allowed. */
const ofResources: readonly Table[] = Object.values(companyResources).flatMap(({ declaration }) => {
  const { table, fields, history } = declaration;
  const texts = Object.fromEntries(Object.keys(fields).map((name) => [name, `'${name} ' || i`]));
  const row = { ...texts, company_id: '1 + i / 10000', id: 'i' };
  if (history === undefined) return [{ name: table, rows: 20_000, values: row }];
  const former = { ...texts, company_id: '1', id: '1 + i / 100', version: '1 + i % 100' };
  return [
    { name: table, rows: 20_000, values: { ...row, version: '101' } },
    { name: history.table, rows: 100_000, values: former },
  ];
});

const tables: readonly Table[] = [
  {
    name: 'id_blocks',
    rows: 9,
    values: {
      name: `CASE i WHEN 1 THEN 'contact' WHEN 2 THEN 'tag' WHEN 3 THEN 'user' WHEN 4 THEN 'addressBook' WHEN 5 THEN 'webhook'
        WHEN 6 THEN 'alertReceiver' WHEN 7 THEN 'incident' WHEN 8 THEN 'alertAcknowledgement' ELSE 'optOut' END`,
      next_id: '9000000',
    },
  },
  { name: 'nodes', rows: 3, values: { id: 'i', started_at: '1', beat: '5', ended: '0' } },
  {
    name: 'companies',
    rows: 200,
    values: {
      id: 'i',
      name: `'company' || i`,
      active: '1',
      email_domain_endings: `'["example.com"]'`,
      sign_in_mails: '1',
      opt_outs: `CASE WHEN i = 1 THEN 'honour' END`,
    },
  },
  {
    name: 'users',
    rows: 20_000,
    values: {
      id: '9 + i',
      company_id: 'CASE WHEN i = 11 THEN 2 ELSE 1 + i / 200 END',
      username: `'user' || (9 + i)`,
      roles: `CASE WHEN i = 1 THEN '["send","companyAdmin"]' ELSE '["send"]' END`,
      active: '1',
      email: `'user' || (9 + i) || '@example.com'`,
    },
  },
  // One user has the maximum number.
  {
    name: 'sign_in_networks',
    rows: 100_000,
    values: {
      user_id: 'CASE WHEN i <= 50 THEN 10 ELSE 10 + i % 19000 END',
      network: `'n' || i`,
      seen_at: inTime,
    },
  },
  { name: 'sign_in_mails', rows: 20_000, values: { user_id: '9 + i', day: '1', mails: '3' } },
  {
    name: 'api_keys',
    rows: 20_000,
    // One user has the maximum number.
    values: {
      id: 'i',
      user_id: 'CASE WHEN i <= 1000 THEN 10 ELSE 11 + i % 1000 END',
      name: `'key' || i`,
      generation: '1',
      created_at: `${now}`,
    },
  },
  {
    name: 'carriers',
    rows: 3,
    values: {
      id: 'i',
      name: `'carrier' || i`,
      type: `'simulator'`,
      removed: 'i / 3',
      settings: `CASE i WHEN ${withOneReceipt} THEN '{"receiptsPerMessage":"one"}' ELSE '{}' END`,
    },
  },
  {
    name: 'carrier_states',
    rows: 3,
    values: {
      node_id: '1',
      carrier_id: 'i',
      state: `'bound'`,
      since: '1',
      reason: 'NULL',
      figures: `'{}'`,
      updated_at: '1',
    },
  },
  { name: 'routes', rows: 50, values: { name: `'r' || i`, prefix: `'46'`, carriers: `'["carrier1"]'` } },
  {
    name: 'numbers',
    rows: 20_000,
    values: {
      number: `'4675' || (100000 + i)`,
      rented_by: 'CASE WHEN i > 50 THEN 10 + i % 19000 END',
      pool: 'CASE WHEN i <= 50 THEN 1 ELSE 0 END',
    },
  },
  {
    name: 'batches',
    rows: 60_000,
    values: {
      company_id: '1',
      id: `${firstBatchId - 1} + i`,
      user_id: '10',
      code: 'CASE WHEN i > 59900 THEN NULL WHEN i > 59800 THEN 2 ELSE 0 END',
      conversation: `CASE WHEN i <= 40 THEN 'few' ELSE 'many' END`,
      sender: `'Sender'`,
      cost_center: `''`,
      validity_minutes: '60',
      created_at: inTime,
      changed_at: inTime,
      messages: `CASE WHEN i <= 40 THEN ${batchSize} ELSE 1 END`,
      parts: '1',
      duplicates: '0',
      chunks: '20',
      next_chunk: 'CASE WHEN i > 59800 THEN 0 ELSE 20 END',
      expanded: `CASE WHEN i <= 40 THEN ${batchSize} ELSE 0 END`,
      first_message_id: `CASE WHEN i <= 40 THEN ${firstOfBatches} + (i - 1) * ${batchSize} ELSE 5000000 + i END`,
      started_at: `${now}`,
      not_before: '0',
      clearing: '0',
      clear_from: '0',
      paused: 'CASE WHEN i > 59800 AND i <= 59805 THEN 1 ELSE 0 END',
    },
  },
  {
    name: 'batch_chunks',
    rows: 60_000,
    values: {
      batch_id: `${firstBatchId - 1} + i`,
      chunk: '0',
      messages: '1',
      finished: `'[["46701740699","Hello",1,"",1]]'`,
    },
  },
  {
    name: 'batch_counts',
    rows: 120_000,
    values: { batch_id: `${firstBatchId - 1} + (i + 1) / 2`, status: 'i % 2', messages: '5' },
  },
  {
    name: 'message_events',
    rows: 100_000,
    values: {
      company_id: '1',
      message_id: 'CASE WHEN i % 100 = 7 THEN i + 1 ELSE i END',
      seq: '1 + i % 2',
      at: `${now}`,
      kind: `'held'`,
    },
  },
  {
    name: 'message_refusals',
    rows: 100_000,
    values: {
      company_id: '1',
      message_id: '400000 + i',
      carrier_id: '2',
      refused_at: `${now}`,
      reason: `'no room'`,
    },
  },
  {
    name: 'parked_receipts',
    rows: 100_000,
    values: {
      carrier_id: '1',
      carrier_message_id: `CASE i WHEN 8 THEN 'm${missed}' ELSE 'parked' || (i / 2) END`,
      id: 'i',
      received_at: `${now} - i % 600000`,
      status: '2',
      next_try_at: `${now + 1} + i`,
    },
  },
  {
    name: 'unmatched_receipts',
    rows: 100_000,
    values: {
      carrier_id: '1',
      carrier_message_id: `'unmatched' || i`,
      recipient: `'46' || i`,
      status: '2',
      received_at: inTime,
    },
  },
  {
    name: 'carrier_tests',
    rows: 10_000,
    values: {
      id: '100000 + i',
      carrier_id: '1 + i % 3',
      recipient: `'46' || i`,
      sender: `'Carillon'`,
      text: `'x'`,
      asked_at: inTime,
      node_id: '1',
      outcome: `'accepted'`,
      carrier_message_id: `'test' || i`,
      answered_at: inTime,
    },
  },
  {
    name: 'idempotency_keys',
    rows: 100_000,
    values: {
      company_id: '1',
      user_id: '10',
      idempotency_key: `'key' || i`,
      request_hash: `'h'`,
      answer: `'{}'`,
      expires_at: `${now} + i`,
    },
  },
  {
    name: 'usage_counts',
    rows: 200_000,
    values: {
      company_id: '1 + i % 3',
      user_id: '10',
      cost_center: `'cc' || i`,
      month: `'2023-11'`,
      messages: '5',
      parts: '5',
    },
  },
  {
    name: 'simulated_counts',
    rows: 100_000,
    values: {
      company_id: '1 + (2 * i) % 3',
      user_id: '10',
      cost_center: `'cc' || (2 * i)`,
      month: `'2023-11'`,
      parts: '5',
    },
  },
  {
    name: 'incoming_messages',
    rows: 300_000,
    values: {
      id: 'i',
      company_id: 'CASE WHEN i % 10 = 0 THEN NULL ELSE 1 END',
      user_id: 'CASE WHEN i % 10 = 0 THEN NULL WHEN i % 10000 = 1 THEN 11 ELSE 10 END',
      sender: `'4670' || i`,
      recipient: `'4675100001'`,
      text: `'Yes'`,
      conversation: `''`,
      response_to_id: 'i',
      received_at: inTime,
      unread: 'CASE WHEN i % 3 = 0 AND i % 10000 <> 1 THEN 1 ELSE 0 END',
    },
  },
  // Nearly all conversations belong to one user; a tenth of them is unread, and a tenth archived.
  {
    name: 'conversations',
    rows: 300_000,
    values: {
      id: '1000000 + i',
      company_id: 'CASE WHEN i % 100 = 7 THEN 2 ELSE 1 END',
      number: `'4675100001'`,
      user_id: 'CASE WHEN i % 100 = 7 THEN 20 WHEN i % 10000 = 1 THEN 11 ELSE 10 END',
      phone: `CASE WHEN i = 204 THEN '525562000017' ELSE '4670' || i END`,
      last_at: inTime,
      last_incoming_id: 'i',
      last_message_id: 'CASE WHEN i % 3 = 0 THEN i END',
      unread: 'CASE WHEN i % 10 = 0 THEN 1 ELSE 0 END',
      version: '1',
      archived: 'CASE WHEN i % 10 = 5 THEN 1 ELSE 0 END',
      assignee_id: 'CASE WHEN i % 3 = 0 THEN 10 WHEN i % 20 = 1 THEN 11 WHEN i % 20 = 2 THEN 9 END',
    },
  },
  {
    name: 'conversation_releases',
    rows: 3,
    values: { user_id: '8 + i', username: `'user' || (8 + i)`, channel: `'portal'` },
  },
  {
    name: 'number_leases',
    rows: 200_000,
    values: {
      recipient: `'4670' || (1000000 + i / 4)`,
      number: `'4675' || (100001 + i % 50)`,
      message_id: 'i',
      company_id: '1',
      user_id: '10',
      // One lease belongs to a job that shares its number.
      conversation: `CASE WHEN i = 800 THEN '3999' ELSE 'x' END`,
      holder: 'CASE WHEN i = 800 THEN 1 ELSE 0 END',
      code: 'CASE WHEN i = 800 THEN 61 END',
      unclear_answer: `CASE WHEN i = 800 THEN 'Yes' END`,
      turn: 'i',
      starts_at: inTime,
      ends_at: `${now + dayMs} + i`,
    },
  },
  // Runs with 50 people each, a few of them still active; the last run is the one that is read.
  { name: 'system_users', rows: 50, values: { id: 'i', company_id: '1', username: `'jobs' || i` } },
  {
    name: 'job_types',
    rows: 2_000,
    values: { company_id: '1 + i % 200', name: `'type' || i`, settings: `'{}'` },
  },
  {
    name: 'saved_jobs',
    rows: 20_000,
    values: {
      company_id: '1',
      id: 'i',
      system_user_id: '1 + i % 50',
      name: `'job' || i`,
      type: `'QuickAssign'`,
      content: `'{}'`,
    },
  },
  {
    name: 'job_runs',
    rows: 4_000,
    values: {
      id: 'i',
      company_id: '1',
      system_user_id: '1',
      version: '1',
      ended_at: `CASE WHEN i <= 3950 THEN ${inTime} END`,
      run: `'${stockRun}'`,
      due_at: `CASE WHEN i > 3950 THEN ${now} + i END`,
      phase: 'CASE WHEN i > 3950 THEN 1 ELSE 3 END',
      saved_job_id: '60 + i % 20',
    },
  },
  {
    name: 'job_people',
    rows: 200_000,
    values: {
      run_id: '1 + (i - 1) / 50',
      place: '(i - 1) % 50',
      person: `'{}'`,
      state: 'i % 5',
      is_unclear: 'CASE WHEN i % 25 = 0 THEN 1 ELSE 0 END',
    },
  },
  {
    name: 'job_entries',
    rows: 200_000,
    values: { run_id: '1 + (i - 1) / 50', place: '(i - 1) % 50', entry: `'{}'` },
  },
  {
    name: 'job_messages',
    rows: 200_000,
    values: {
      company_id: '1',
      message_id: 'i',
      run_id: '1 + (i - 1) / 50',
      place: '(i - 1) % 50',
      is_question: '1',
    },
  },
  {
    // In each run a few e-mails still wait for the relay.
    name: 'job_mails',
    rows: 200_000,
    values: {
      message_id: `'<job.' || i || '>'`,
      run_id: '1 + (i - 1) / 50',
      place: '(i - 1) % 50',
      is_question: '1',
      text: `'Come?'`,
      state: 'CASE WHEN i % 10 = 0 THEN 0 ELSE 1 END',
      changed_at: '1',
    },
  },
  {
    name: 'question_outcomes',
    rows: 1_000,
    values: { message_id: `'<job.' || (i * 7) || '>'`, is_taken: 'i % 2', reason: `''`, at: '1' },
  },
  {
    name: 'job_events',
    rows: 1_000,
    values: { run_id: '3001 + i', name: `'e' || i`, at: '1', event: `'{}'` },
  },
  {
    name: 'job_answers',
    rows: 200_000,
    values: {
      id: 'i',
      run_id: '1 + i % 4000',
      company_id: '1',
      user_id: '10',
      sender: `'1'`,
      recipient: `'2'`,
      text: `'Yes'`,
      question_id: 'i',
      received_at: '1',
      clarity: 'i % 2',
      taken: 'CASE WHEN i <= 1000 OR i = 3999 THEN 0 ELSE 1 END',
    },
  },
  {
    name: 'incoming_assemblies',
    rows: 100_000,
    values: {
      carrier_id: '1',
      sender: `'4670' || i`,
      recipient: `'4675100001'`,
      reference: 'i % 256',
      parts: '2',
      id: 'i',
      texts: `'["a",null]'`,
      started_at: `${now} - i % 60000`,
      ended_at: `CASE WHEN i % 2 = 0 THEN ${now} - i % 60000 END`,
      renter_id: 'CASE WHEN i % 4 = 1 THEN 10 END',
    },
  },
  {
    name: 'changes',
    rows: 100_000,
    values: {
      place: 'i',
      company_id: '1 + i % 200',
      kind: '0',
      subject_id: '500000 + i',
      status: '1',
      changed_at: `${now}`,
    },
  },
  {
    name: 'change_readers',
    rows: 20,
    values: { name: `'reader' || i`, place: '50000 + 10 * i', patience_ms: '60000' },
  },
  // Half of the people are erased. They come before anybody listens, who would be told of them.
  {
    name: 'opt_outs',
    rows: 100_000,
    values: {
      company_id: 'CASE WHEN i % 1000 = 0 THEN 2 ELSE 1 END',
      id: 'i',
      phone: `CASE WHEN i % 2 = 0 THEN 'digest' || i ELSE '4670' || (1000000 + i) END`,
      category: 'CASE WHEN i % 5000 = 7 THEN 3 ELSE 0 END',
      since: inTime,
      source: 'CASE WHEN i % 5000 = 7 THEN 1 ELSE 0 END',
      word: `'STOP'`,
      proof: `'Stop'`,
      incoming_id: 'i',
      number: `'46701740600'`,
      erased: 'CASE WHEN i % 2 = 0 THEN 1 ELSE 0 END',
    },
  },
  {
    name: 'change_listeners',
    rows: 200,
    values: { company_id: 'i', listener: `'hints'`, until: `${now} + i` },
  },
  {
    name: 'change_readers',
    rows: 1,
    values: { name: `'webhooks'`, place: '99900', patience_ms: '60000', holder: '1' },
  },
  {
    name: 'alert_receivers',
    rows: 2_000,
    values: {
      company_id: '1 + i / 20',
      name: `'receiver' || i`,
      id: 'i',
      source: '0',
      user_id: '10',
      settings: `'{"start":71,"text":"","groupMinutes":5,"againHours":4,"ownAlerts":false}'`,
      acknowledge: `'{"url":"https://a.example","hours":4}'`,
      firing: '20',
      due_at: 'CASE WHEN i < 20 THEN i END',
    },
  },
  {
    name: 'alerts',
    rows: 100_000,
    values: {
      company_id: '1 + (i % 2000) / 20',
      receiver_id: 'i % 2000',
      fingerprint: `'alert' || i`,
      state: 'CASE WHEN i % 10 < 3 THEN 0 ELSE 1 END',
      is_waiting: 'CASE WHEN i % 100 = 1 THEN 1 ELSE 0 END',
      incident_id: 'CASE WHEN i % 100 = 1 THEN NULL ELSE i % 9000 END',
      joined_at: inTime,
      fired_at: inTime,
      place: '0',
      heard_at: inTime,
      times: '3',
      resolved_at: `CASE WHEN i % 10 < 3 THEN NULL ELSE ${inTime} END`,
      alert: `'{"fingerprint":"a","state":"firing","title":"Down","labels":{},"annotations":{},"startedAt":null,"url":null}'`,
    },
  },
  {
    name: 'incidents',
    rows: 90_000,
    values: {
      id: 'i',
      company_id: '1 + (i % 2000) / 20',
      receiver_id: 'i % 2000',
      receiver: `'receiver' || (i % 2000)`,
      user_id: '10 + i % 50',
      state: 'CASE WHEN i < 20 THEN 1 ELSE 2 END',
      version: '1',
      due_at: 'CASE WHEN i < 50 THEN i END',
      title: `'Down'`,
      first: `'{"fingerprint":"a","state":"firing","title":"Down","labels":{},"annotations":{},"startedAt":null,"url":null}'`,
      action: `'{"start":71}'`,
      message: `'Down'`,
      opened_at: inTime,
      grown_at: inTime,
      ended_at: `CASE WHEN i < 200 THEN NULL ELSE ${inTime} END`,
      alerts: '10',
      firing: '3',
      left_out: '0',
      untold: '0',
      run_id: '3999',
      run_version: '0',
      run_ended: '0',
      messages: '0',
      silenced_at: '1',
      attempts: '0',
    },
  },
  {
    name: 'webhook_endpoints',
    rows: 200,
    values: {
      id: 'i',
      company_id: 'i',
      name: `'hook' || i`,
      // Some are for callback URLs of calls.
      user_id: 'CASE WHEN i % 10 = 9 THEN 10 END',
      calls_until: `CASE WHEN i % 10 = 9 THEN ${now} + i END`,
      url: `'https://a.example'`,
      secrets: `'[]'`,
      events: '7',
      statuses: '65535',
      batch: '1',
      full_text: '1',
      active: '1',
    },
  },
  {
    name: 'alert_acknowledgements',
    rows: 50_000,
    values: {
      id: 'i',
      company_id: '1 + i % 200',
      receiver_id: '1 + i % 200',
      incident_id: '1 + i / 20',
      request: `'{"path":"","body":{}}'`,
      state: 'CASE WHEN i % 20 = 0 THEN 0 ELSE 1 END',
      attempts: '1',
      due_at: `CASE WHEN i % 20 = 0 THEN ${now} + (i - 25000) END`,
      created_at: inTime,
    },
  },
  {
    name: 'webhook_queues',
    rows: 200,
    values: {
      endpoint_id: 'i',
      last_seq: '500',
      done_seq: '400',
      last_attempt: '500',
      begun: '1',
      disabled_at: `CASE WHEN i % 3 = 0 THEN ${now} END`,
    },
  },
  {
    name: 'webhook_events',
    rows: 100_000,
    values: {
      endpoint_id: '1 + i % 200',
      seq: '1 + (i - 1) / 200',
      subject_id: '500000 + i',
      type: '0',
      at: `${now} + i`,
      queued_at: `${now} + i`,
      data: `'{}'`,
    },
  },
  {
    name: 'webhook_retries',
    rows: 2_000,
    values: {
      endpoint_id: '1 + i % 200',
      first_seq: '1 + (i - 1) / 200',
      seqs: `'[7]'`,
      tries: '1',
      due_at: `CASE WHEN i % 2 = 0 THEN ${now} END`,
    },
  },
  {
    name: 'webhook_attempts',
    rows: 100_000,
    values: {
      endpoint_id: '1 + i % 200',
      number: '1 + (i - 1) / 200',
      at: `${now} + i`,
      first_seq: '1',
      events: '1',
      tries: '1',
      duration_ms: '5',
      answer: `''`,
    },
  },
  {
    name: 'webhook_attempt_counts',
    rows: 5_000,
    values: {
      endpoint_id: '1 + i % 200',
      hour_at: `${now} + i / 200 * 3600000`,
      ok: '5',
      failed: '1',
    },
  },
  {
    name: 'audit_log',
    rows: 100_000,
    values: {
      // Ids beyond those that the database assigns.
      id: '1000000 + i',
      company_id: 'CASE WHEN i % 1000 = 7 THEN 2 ELSE 1 END',
      at: `${now} + i`,
      channel: `'api'`,
      username: `'user10'`,
      act: `'message.cancel'`,
      object: `'5'`,
      details: `''`,
    },
  },
  // Each of the first erasures is at a different part, and each of the next at a different table of the search, for numbers
  // with much data and with little. Each of the last, for numbers with two forms, is at a different part.
  {
    name: 'erasures',
    rows: 100_000,
    values: {
      id: 'i',
      company_id: '1',
      digest: `'d' || i`,
      requested_at: `${now} + ${dayMs}`,
      part: 'CASE WHEN i <= 12 THEN i - 1 WHEN i <= 72 THEN 12 WHEN i <= 84 THEN i - 73 ELSE 0 END',
      number: `CASE WHEN i = 3 THEN '1' WHEN i <= 72 THEN '4670' || (1000000 + i) WHEN i <= 84 THEN '525562' || (100000 + i) END`,
      place: `CASE WHEN i > 12 AND i <= 72 THEN '[' || (i - 13) || ']' ELSE '[]' END`,
      walks: '0',
      walk_kept: `'{}'`,
      walk_erased: '0',
      kept: `'{}'`,
      erased: '7',
      due_at: `CASE WHEN i <= 80 THEN ${now} END`,
      done_at: `CASE WHEN i > 80 THEN ${now} + i END`,
    },
  },
  // Only a limited number of the latest rows is kept.
  {
    name: 'login_failures',
    rows: 900,
    values: { subject: `'s' || (i / 3)`, slot: 'i', node: `'n'`, failures: '1' },
  },
  {
    name: 'login_networks',
    rows: 100_000,
    values: { digest: `'d' || i`, user_id: '10 + i % 19000', seen_at: inTime },
  },
  { name: 'message_references', rows: 100_000, values: { slot: 'i - 1', next: '5' } },
  {
    name: 'address_books',
    rows: 400,
    values: { id: 'i', company_id: '1 + (i - 1) / 100', name: `'book' || i` },
  },
  {
    name: 'address_book_readers',
    rows: 400,
    values: { user_id: '9 + i', book_id: 'i', is_default: '1' },
  },
  {
    name: 'contacts',
    rows: 120_000,
    values: {
      book_id: 'CASE WHEN i > 100000 THEN 2 ELSE 1 END',
      id: 'i',
      external_id: `'e' || i`,
      name: `'Anna'`,
      phone: `'4670' || (1000000 + i)`,
      email: `'a' || i || '@example.com'`,
      has_terms: 'CASE WHEN i % 1000 = 0 THEN i % 2 ELSE 2 END',
      managed_by: `CASE WHEN i % 100 = 0 THEN 'file' END`,
    },
  },
  {
    name: 'contact_terms',
    rows: 120_000,
    values: {
      book_id: 'CASE WHEN i > 100000 THEN 2 ELSE 1 END',
      term: `CASE WHEN i % 2 = 0 THEN 'anna' ELSE 'a' || i END`,
      contact_id: 'i',
      is_first: 'i % 4',
    },
  },
  {
    name: 'contact_imports',
    rows: 1_000,
    values: {
      book_id: 'CASE WHEN i < 10 THEN 1 ELSE 1 + i % 4 END',
      id: '1000 + i',
      at: `${now} - i * 1000`,
      username: `'user10'`,
      file_name: `'staff.csv'`,
      state: '0',
      created: '100',
      changed: '0',
    },
  },
  {
    name: 'contact_import_rows',
    rows: 100_000,
    values: {
      book_id: '1',
      import_id: '1001 + i / 50000',
      contact_id: 'i',
      before_json: 'NULL',
      version: `'v'`,
    },
  },
  {
    name: 'tags',
    rows: 1_000,
    values: {
      book_id: '1',
      id: 'i',
      type: `'skill'`,
      value: `'v' || i`,
      contact_count: 'CASE WHEN i = 1 THEN 100000 ELSE 50 END',
    },
  },
  {
    name: 'contact_tags',
    rows: 200_000,
    values: {
      book_id: '1',
      tag_id: 'CASE WHEN i <= 100000 THEN 1 ELSE 2 + i % 999 END',
      contact_id: 'CASE WHEN i <= 100000 THEN i ELSE i - 100000 END',
    },
  },
  {
    name: 'saved_tag_filters',
    rows: 1_000,
    values: { book_id: '1', name: `'f' || i`, filter: `'skill:v2'` },
  },
  { name: 'contact_groups', rows: 1_000, values: { book_id: '1', name: `'g' || i` } },
  {
    name: 'group_members',
    rows: 60_000,
    values: {
      book_id: '1',
      group_name: `'g' || (1 + i % 1000)`,
      place: 'i',
      external_id: `'e' || i`,
    },
  },
  { name: 'email_defaults', rows: 200, values: { company_id: 'i', paying_user_id: '9 + i' } },
  {
    name: 'email_senders',
    rows: 50_000,
    values: {
      // One company has as many e-mail senders as calls can create.
      email: `'a' || i || '@example.com'`,
      company_id: 'CASE WHEN i <= 10000 THEN 1 ELSE 2 + i % 199 END',
      paying_user_id: '10',
      blocked: '0',
      sender: `''`,
      cost_center: `''`,
      default_country_code: `''`,
      max_sms: '1',
      check_mobile: '0',
      include_subject: '0',
      only_non_delivery: '0',
      orig_msg: '0',
      split_callback: '0',
      sender_logic: '0',
    },
  },
  {
    name: 'email_deliveries',
    rows: 100_000,
    values: { delivery_key: `'d' || i`, expires_at: `${now + 1} + i` },
  },
  {
    name: 'email_messages',
    rows: 100_000,
    values: {
      company_id: '1',
      message_id: 'i',
      return_address: `'a@example.com'`,
      subject: `''`,
      only_non_delivery: '0',
      orig_msg: '0',
      received_at: inTime,
      mail_id: 'i',
      untold_status: '2',
      untold_at: `${now}`,
      receipts_due_at: `CASE WHEN i % 10 = 0 THEN ${now} + i END`,
    },
  },
  {
    name: 'smpp_logins',
    rows: 20_000,
    values: {
      user_id: '9 + i',
      system_id: `'s' || i`,
      password_hash: `''`,
      binds: '2',
      window_size: '100',
      throughput: '0',
    },
  },
  { name: 'esme_binds', rows: 20_000, values: { user_id: '9 + i', node_id: '1 + i % 3', bind: 'i' } },
  { name: 'esme_deliverers', rows: 20_000, values: { user_id: '9 + i', node_id: '1' } },
  {
    name: 'esme_messages',
    rows: 100_000,
    values: {
      company_id: '1',
      message_id: '500000 + i',
      shown_id: 'CASE WHEN i % 10 = 0 THEN 10000000 + i ELSE 500000 + i END',
      wanted: '1',
      ends_at: inTime,
    },
  },
  {
    name: 'esme_deliveries',
    rows: 100_000,
    values: {
      user_id: '10',
      place: 'i',
      shown_id: 'i',
      company_id: '1',
      kind: 'i % 2',
      subject_id: '300000 + i',
      at: `${now}`,
      queued_at: inTime,
    },
  },
  {
    name: 'esme_parts',
    rows: 100_000,
    values: {
      user_id: '10',
      recipient: `'4670' || i`,
      sender: `''`,
      reference: 'i % 256',
      parts: '3',
      text_id: '0',
      part: '1',
      id: '30000000 + i',
      content: `'{"text":"x"}'`,
      due_at: `${now} + i`,
    },
  },
  {
    name: 'recent_mails',
    rows: 100_000,
    values: {
      ring: 'i / 500 - 1',
      slot: 'i % 500',
      received_at: inTime,
      address: `'192.0.2.1'`,
      sender: `'a@example.com'`,
      is_proven: '1',
      recipients: `'[]'`,
      recipient_count: '1',
      outcome: `'sent'`,
      answer: `''`,
      message_ids: `'[]'`,
    },
  },
  {
    name: 'change_readers',
    rows: 1,
    values: { name: `'mail'`, place: '99900', patience_ms: '60000', holder: '1' },
  },
  {
    // The second half of the e-mails is waiting; the first half has failed.
    name: 'outgoing_mails',
    rows: 100_000,
    values: {
      message_id: `'<' || i || '@sms.example>'`,
      company_id: '1 + i % 200',
      kind: '1',
      content: `'{"to":{"address":"a@example.com"}}'`,
      queued_at: inTime,
      due_at: `CASE WHEN i > 50000 THEN ${now} + i END`,
      give_up_at: `${now} + i`,
      tries: '1',
    },
  },
  {
    name: 'opt_out_replies',
    rows: 100_000,
    values: {
      company_id: '1',
      phone: `'4670' || (1000000 + i)`,
      kind: '0',
      word: '0',
      number: `'46701740600'`,
      user_id: '10',
      way: '0',
      conversation: `''`,
      asked_at: `${now} - i`,
      due_at: `CASE WHEN i % 1000 = 0 THEN ${now} - i END`,
    },
  },
  {
    name: 'opt_out_near_misses',
    rows: 100_000,
    values: {
      company_id: '1',
      incoming_id: 'i',
      phone: `CASE WHEN i % 2 = 0 THEN '46701000001' ELSE '4670' || (1000000 + i) END`,
      number: `'46701740600'`,
      text: `'Please stop'`,
      at: inTime,
      settled_at: `CASE WHEN i % 10 > 0 THEN ${now} END`,
    },
  },
  {
    name: 'sendings',
    rows: 25_000,
    values: {
      company_id: '1',
      id: `${firstSending} + i * 20`,
      user_id: 'CASE WHEN i % 1000 = 1 THEN 11 ELSE 10 END',
      messages: `${messagesOfSending}`,
      parts: `${messagesOfSending}`,
      name: `''`,
      text: `'Your appointment is tomorrow at 9:30.'`,
      whom: `'{"groups":[],"filters":[],"tags":"","numbers":10}'`,
      sender: `''`,
      answers_until: `CASE WHEN i % 2 = 0 THEN ${now + 2 * dayMs} END`,
      created_at: `${now - 20 * dayMs} + CAST(i AS BIGINT) * 20000`,
      scheduled_at: `CASE WHEN i > 15000 THEN ${now + dayMs} + CAST(${firstSending} + i * 20 AS BIGINT) * 10 END`,
    },
  },
  {
    name: 'sending_answers',
    rows: 100_000,
    values: {
      company_id: '1',
      message_id: `${firstSending} + (i / 4) * 20 + i % 4`,
      incoming_id: 'i',
      meaning: 'i % 3',
      received_at: inTime,
    },
  },
  { name: 'recent_mail_rings', rows: 200, values: { ring: 'i - 2', next: '500' } },
  { name: 'email_sender_rules', rows: 5_000, values: { company_id: '1', domain: `'d' || i`, sender: `'S'` } },
  ...ofResources,
];

function insertion({ name, rows, values }: Table, dialect: Dialect): string {
  const series =
    dialect === 'postgres'
      ? `generate_series(1, ${rows}) AS series(i)`
      : `(WITH RECURSIVE series(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM series WHERE i < ${rows}) SELECT i FROM series)`;
  const columns = Object.keys(values);
  return `INSERT INTO ${name} (${columns.join(', ')}) SELECT ${Object.values(values).join(', ')} FROM ${series}`;
}

/** The statements in the order in which they must run. */
export function stocking(dialect: Dialect): readonly string[] {
  return [
    ...tables.map((table) => insertion(table, dialect)),
    insertion({ name: 'messages', rows: messages, values: messageValues() }, dialect),
    `INSERT INTO message_log (company_id, created_at, id, user_id, recipient, conversation)
     SELECT company_id, created_at, id, user_id, recipient, NULLIF(conversation, '') FROM messages`,
    `INSERT INTO message_parts (company_id, message_id, part, parts, carrier_id, carrier_message_id, status, changed_at,
       submitted_at, answered_at)
     SELECT company_id, id, 1, CASE id WHEN ${long} THEN 2 ELSE 1 END, carrier_id, 'm' || id, 1, changed_at, changed_at,
       changed_at FROM messages WHERE id <= 200000 OR stage = ${stage.awaitingReceipt}`,
    `INSERT INTO message_parts (company_id, message_id, part, parts, carrier_id, carrier_message_id, status, changed_at)
     SELECT company_id, id, CASE id WHEN ${long} THEN 2 ELSE 1 END, 2, carrier_id, 'n' || id,
       CASE id WHEN ${long} THEN ${id(status, 'SENT')} ELSE ${id(status, 'DELIVERED')} END, changed_at
     FROM messages WHERE id IN (${long}, ${halfTaken})`,
    // Rows that triggers write come after these rows.
    ...(dialect === 'postgres' ? ["SELECT setval('changes_place_seq', 100000)"] : []),
  ];
}

/** Tables that keep growing while the service is used, or that an operator may fill without limit. */
export const growing: ReadonlySet<string> = new Set([
  ...tables.filter(({ rows }) => rows >= 1_000).map(({ name }) => name),
  ...['messages', 'message_log', 'message_parts'],
]);
