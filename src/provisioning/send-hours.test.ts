import { expect, test } from 'vitest';
import { eachStore } from '../../test/harness/stores.ts';
import { findAccountByUsername } from '../accounts/account.ts';
import { systemClock } from '../foundation/clock.ts';
import { Sealing } from '../foundation/sealing.ts';
import { faultLine, sortedFaults } from '../yaml/fault.ts';
import { applyFile } from './apply.ts';
import { readPlan } from './file.ts';

function plan(hours: string) {
  return readPlan(`companies: [{ name: A, sendHours: ${hours} }]`);
}

function faultsOf(hours: string): readonly string[] {
  return sortedFaults(plan(hours).faults).map((fault) =>
    faultLine(fault).replace(/ \(line \d+, column \d+\)/, ''),
  );
}

test.each([
  ['{ from: 07:00, to: 21:00, zone: Europe/Stockholm, batch: drop }', 'drop', 'Europe/Stockholm'],
  ['{ from: "07:00", to: "21:00", zone: Australia/Lord_Howe, batch: delay }', 'delay', 'Australia/Lord_Howe'],
  ['{ from: "07:00", to: "21:00", zone: UTC }', 'delay', 'UTC'],
])('[BATCH-5] [RUN-3] A provisioning file may set send hours: %s', (written, batch, zone) => {
  const { plan: read, faults } = plan(written);
  expect(faults).toEqual([]);
  expect(read?.companies[0]?.sendHours).toEqual({ from: '07:00', to: '21:00', zone, batch });
});

test('[BATCH-5] [RUN-3] Send hours may go over midnight', () => {
  expect(faultsOf('{ from: "21:00", to: "06:00", zone: Asia/Kolkata }')).toEqual([]);
});

const hours = 'companies[0].sendHours';
test.each([
  ['7 to 9', [`${hours}: must be an object with keys, not a text`]],
  [
    '{ from: "7:00", to: "24:00", zone: UTC }',
    [
      `${hours}.from: must be a time from 00:00 to 23:59, such as "07:00"`,
      `${hours}.to: must be a time from 00:00 to 23:59, such as "07:00"; write "00:00" for midnight`,
    ],
  ],
  [
    '{ from: 7, to: "21:60", zone: UTC, batch: dropp }',
    [
      `${hours}.from: must be a time from 00:00 to 23:59, such as "07:00"`,
      `${hours}.to: must be a time from 00:00 to 23:59, such as "07:00"`,
      `${hours}.batch: must be one of drop, delay; did you mean drop?`,
    ],
  ],
  [
    '{ from: "07:00", to: "07:00", zone: UTC }',
    [`${hours}.to: must not be the same time as "from"; to send at all hours, leave "sendHours" out`],
  ],
  [
    '{ from: "07:00", to: "21:00", zone: Europe/Stokholm }',
    [`${hours}.zone: must name a time zone, such as Europe/Stockholm; did you mean Europe/Stockholm?`],
  ],
  [
    '{ from: "07:00", to: "21:00", zone: PST }',
    [`${hours}.zone: must name a time zone, such as Europe/Stockholm`],
  ],
  [
    '{ from: "07:00", to: "21:00", zone: +02:00, until: x }',
    [
      `${hours}.zone: must name a time zone, such as Europe/Stockholm`,
      `${hours}.until: unknown key; known keys: from, to, zone, batch`,
    ],
  ],
])('[BATCH-5] [RUN-3] Each fault in send hours is reported with its place: %s', (written, lines) => {
  expect(faultsOf(written)).toEqual(lines);
});

test('[BATCH-5] [RUN-3] The largest batch of a user must be a whole number', () => {
  const content =
    'companies: [{ name: A, users: [{ username: a, maxBatch: many }, { username: b, maxBatch: -1 }] }]';
  expect(sortedFaults(readPlan(content).faults).map(faultLine)).toEqual([
    'companies[0].users[0].maxBatch (line 1, column 57): must be a whole number from 0 to 10000000, not a text',
    'companies[0].users[1].maxBatch (line 1, column 90): must be a whole number from 0 to 10000000, not -1',
  ]);
});

eachStore('send hours and the greatest batch of a user', (engine) => {
  test('[BATCH-5] [RUN-3] Send hours and the largest batch of a user are kept as the file gives them, and each change is reported', async () => {
    const { store } = await engine.openFreshStore();
    async function linesOf(company: string, user: string, dryRun = false): Promise<readonly string[]> {
      const content = `companies: [{ name: A, ${company} users: [{ username: a${user} }] }]`;
      const file = { path: '/etc/carillon.yaml', content, contentHash: content };
      const result = await applyFile({ store, clock: systemClock, sealing: new Sealing('of a test') }, file, {
        dryRun,
      });
      return result.kind === 'applied' ? result.lines : [result.kind];
    }
    const maxBatch = async () => (await store.read(findAccountByUsername, 'a'))?.user.maxBatch;
    const drop = 'sendHours: { from: "07:00", to: "21:00", zone: Europe/Stockholm, batch: drop },';

    const created = [
      '+ company A: sendHours 07:00-21:00 Europe/Stockholm batch drop',
      '+ user a in A: roles none, maxBatch 7',
    ];
    expect(await linesOf(drop, ', maxBatch: 7', true)).toEqual(created);
    expect(await linesOf(drop, ', maxBatch: 7')).toEqual(created);
    expect(await maxBatch()).toBe(7);
    expect(await linesOf(drop, ', maxBatch: 7')).toEqual([]);
    expect(await linesOf(drop.replace('drop', 'delay'), ', maxBatch: 8')).toEqual([
      '~ company A: sendHours 07:00-21:00 Europe/Stockholm batch drop -> 07:00-21:00 Europe/Stockholm batch delay',
      '~ user a in A: maxBatch 7 -> 8',
    ]);
    expect(await maxBatch()).toBe(8);
    expect(await linesOf('', '')).toEqual([
      '~ company A: sendHours 07:00-21:00 Europe/Stockholm batch delay -> any',
      '~ user a in A: maxBatch 8 -> 500000',
    ]);
    expect(await maxBatch()).toBeUndefined();
  });
});
