/**
 * Tests that the examples of the API reference, pasted into a shell one after the other as a newcomer would, give the
 * printed answers.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examples } from '../../scripts/docs/api-examples.ts';
import { curlOf, isManagement, sectionsOf } from '../../scripts/docs/api-page.ts';
import { allEndpoints } from '../../scripts/docs/generated-documents.ts';
import { type Demo, startDemo, startDemoAgain } from '../harness/demo.ts';
import { program } from '../harness/program.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));

let demo: Demo;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo?.app.close());

/** Prints each answer on its own line, as the reference does; the output of an operator's command is not an answer. */
const shell = `
curl() { command curl --silent --show-error --write-out '\\n' "$@"; }
npx() { shift && "$NODE" "$PROGRAM" "$@" >&2; }
`;

function paste(commands: string): Promise<string> {
  const { app, username, password } = demo;
  const env = {
    ...app.env,
    NODE: process.execPath,
    PROGRAM: program(),
    CARILLON_URL: app.baseUrl,
    CARILLON_USER: username,
    CARILLON_PASSWORD: password,
  };
  return new Promise((resolve, reject) => {
    execFile('bash', ['-euc', shell + commands], { cwd: project, env }, (error, stdout) =>
      error === null ? resolve(stdout.trimEnd()) : reject(error),
    );
  });
}

/** Removes what differs at each start: times, the secret half of a key, and which of several receipts came first. */
function steady(answer: string): string {
  return answer
    .replace(/"time":"\d{13}"/g, '"time":"…"')
    .replace(/"next":"\d{13}\./g, '"next":"….')
    .replace(/date:\d{10}|"value":"\d{10}"|\d{4}-\d\d-\d\d \d\d:\d\d/g, '…')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '…')
    .replace(/^"demo\.(\d+)\.(\d+)\.[\w-]{43}"$/gm, '"demo.$1.$2.…"')
    .replace(
      /^\{"statuses":\[\{"to":"\d+","from":"Carillon","id":"\d+",([^{}]*\}\],"notfound":\[\]\})$/gm,
      'first: $1',
    )
    .replace(/^\{"statuses":\[(.*)\]/gm, (_, items: string) => {
      const sorted = items.split(/(?<=\}),(?=\{"to")/).sort();
      return `{"statuses":[${sorted.join(',')}]`;
    });
}

const triesOfReading = 200;

/** Reads that don't mark are repeated until everything has reached its final state. */
async function answerTo({ curl, answer }: { readonly curl: string; readonly answer: string }) {
  const isReading = /status|batchinfo|batchmessageid/.test(curl);
  for (let tries = 1; ; tries += 1) {
    const got = steady(await paste(curl));
    if (got === steady(answer) || !isReading || tries === triesOfReading) return got;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The calls in the order in which their examples are pasted, from the top of the page. */
const endpoints = sectionsOf(allEndpoints).flatMap(({ members }) => members);

test('[CONV-2] [RUN-1] Every messaging call has an example, and every example works as printed with the demo account', async () => {
  const lacking = endpoints.filter(({ path }) => examples[path] === undefined);
  expect(lacking.filter(({ path }) => !isManagement(path)).map(({ path }) => path)).toEqual([]);
  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
    const example = examples[path];
    if (example === undefined) continue;
    expect({ [path]: await answerTo(example) }).toEqual({ [path]: steady(example.answer) });
  }
});

/**
 * The HTTP status. Calls that depend on something that takes a while (an SMS that fails, a post that was tried) are
 * repeated.
 */
/** Status codes for done or created. */
const good: readonly string[] = ['200', '201'];

async function statusOf(curl: string): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const code = (
      await paste(curl.replace('curl ', 'curl --output /dev/null --write-out "%{http_code}" '))
    ).trim();
    if (good.includes(code) || tries === triesOfReading) return code;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('[CONV-2] [RUN-1] Each call of the management API works as printed, after the calls above it on the page', async () => {
  Object.assign(demo, await startDemoAgain(demo.app));
  const failed: string[] = [];
  for (const endpoint of endpoints) {
    const { path } = endpoint;
    const example = examples[path];
    if (example !== undefined) await paste(example.curl);
    else if (!good.includes(await statusOf(curlOf(endpoint)))) failed.push(curlOf(endpoint));
  }
  expect(failed).toEqual([]);
});
