import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../../../test/harness/api-client.ts';
import { until } from '../../../test/harness/awake.ts';
import { type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';
import type { CsvRow } from '../../wire/csv.ts';
import { anyMethod } from '../credentials/credentials.ts';
import { endpointsFor } from '../endpoints/endpoint.ts';
import { csvInSlices } from './sliced-answer.ts';

const formulas = ['=1+1', '+46701740620', '-', '@SUM(A1)', '\tx', '\rx', "'=1"];
const texts = ['a,"b"\nc', 'Åsa 🧡', '', 'role:nurse;ward:7'];
/** A formula in spreadsheets that use semicolons to separate columns. */
const hidden = 'x;=1+1;y';
const cells = [...formulas, ...texts, hidden];

async function* few(): AsyncGenerator<readonly CsvRow[]> {
  yield Array.from({ length: 600 }, (_, at) => [String(at), 'x']);
  yield cells.map((cell) => [cell, 'x']);
}

let pagesMade = 0;
let isEnded = false;

async function* endless(): AsyncGenerator<readonly CsvRow[]> {
  try {
    for (;;) {
      pagesMade += 1;
      yield Array.from({ length: 500 }, () => ['x'.repeat(200)]);
    }
  } finally {
    isEnded = true;
  }
}

let emptyPagesMade = 0;
let isSearchEnded = false;
let mayGoOn = true;

/** Yields empty pages, like a search that finds nothing for a long time. */
async function* empty(): AsyncGenerator<readonly CsvRow[]> {
  try {
    for (; mayGoOn; emptyPagesMade += 1) {
      await nextTurn();
      yield [];
    }
  } finally {
    isSearchEnded = true;
  }
}

const endpoint = endpointsFor<{ readonly name: string }>();
const common = {
  methods: ['GET'] as const,
  group: 'Demo',
  title: 'Export',
  description: 'A file.',
  parameters: {},
  credentials: anyMethod,
  answer: Type.String({ description: 'Rows.' }),
  answersCsv: true,
};
const endpoints = [
  endpoint({
    ...common,
    path: '/demo/few',
    handle: () => csvInSlices('Våra "vänner".csv', ['what', 'more'], few()),
  }),
  endpoint({ ...common, path: '/demo/empty', handle: () => csvInSlices('x.csv', ['x'], empty()) }),
  endpoint({ ...common, path: '/demo/endless', handle: () => csvInSlices('x.csv', ['x'], endless()) }),
];

let demo: DemoServer;
beforeAll(async () => {
  demo = await startDemoServer({ endpoints });
});
afterAll(() => demo.stop());

describe('an answer that is a CSV file', () => {
  test('[PORT-4] A CSV response has all rows, a file name, and no cell that a spreadsheet takes for a formula', async () => {
    const answer = await fetch(`${demo.url}/demo/few`, { headers: { 'x-api-key': 'key-of-alice' } });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="V_ra _v_nner_.csv"; filename*=UTF-8''V%C3%A5ra%20%22v%C3%A4nner%22.csv`,
    );
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    const rows = parse(bytes, { bom: true }) as string[][];
    expect(rows.length).toBe(1 + 600 + cells.length);
    expect(rows[0]).toEqual(['what', 'more']);
    expect(rows.slice(601).map(([cell]) => cell)).toEqual([
      ...formulas.map((cell) => `'${cell}`),
      ...texts,
      "x;'=1+1;y",
    ]);
  });

  test('[PORT-4] A CSV response is produced no faster than the client reads it, and ends when the client goes', async () => {
    const socket = connect(Number(new URL(demo.url).port), '127.0.0.1');
    socket.pause();
    socket.write('GET /demo/endless HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\n\r\n');
    await until(() => pagesMade > 0);
    // Only what fits into the buffers on the way is produced, though other calls are answered meanwhile.
    let made = -1;
    while (made !== pagesMade) {
      made = pagesMade;
      for (let calls = 0; calls < 20; calls += 1)
        await apiClient(demo.url, { key: 'key-of-alice' }).get('/demo/few');
    }
    expect(isEnded).toBe(false);
    socket.destroy();
    await until(() => isEnded);
    expect(pagesMade).toBe(made);
  });

  test('[PORT-4] A CSV response ends when the client goes, even while no rows are found', async () => {
    const socket = connect({ port: Number(new URL(demo.url).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.write('GET /demo/empty HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\n\r\n');
    await until(() => emptyPagesMade > 0);
    // Like a browser that cancels a download, this only ends its own side.
    socket.end();
    try {
      await until(() => isSearchEnded);
    } finally {
      socket.destroy();
      // Otherwise the server could not be stopped.
      mayGoOn = false;
    }
  });
});
