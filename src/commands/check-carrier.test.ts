import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRecordings } from '../provisioning/recordings.ts';
import { faultLine } from '../yaml/fault.ts';
import { linesOf, play } from './check-carrier.ts';

const now = Date.UTC(2026, 10, 30, 8);

async function printed(file: string): Promise<readonly string[]> {
  const read = await readRecordings(file);
  if ('faults' in read) return read.faults.map(faultLine);
  return (await Promise.all(read.carriers.map((carrier) => play(carrier, now)))).flatMap(linesOf);
}

test('[HTTPC-1] [HTTPC-4] A declaration is checked against a recorded conversation, as its documentation shows', async () => {
  const example = readFileSync('docs/examples/http-carrier.yaml', 'utf8');
  const page = readFileSync('docs/http-carriers.md', 'utf8');
  const [declared = '', recorded = ''] = example.slice(example.indexOf('\n') + 1).split(/^(?=recorded:)/m);
  for (const section of [declared, recorded]) expect(page).toContain(`\`\`\`yaml\n${section}\`\`\``);
  const lines = await printed(example);
  const [, shown] = /check http-carrier\.yaml\n([\s\S]*?)\n```/.exec(page) ?? [];
  expect(shown?.split('\n')).toEqual(lines);
  expect(lines.join('\n')).not.toContain('change-me');
});

test('[HTTPC-4] What is recorded names its carrier where there are several, and a call that proves nothing is said to be refused', async () => {
  const two = `
companies: [{ name: Nordic Care }]
carriers:
  - { name: box, type: http, preset: kannel, baseUrl: "http://127.0.0.1:13013", username: u, password: p4ss }
  - { name: sms, type: http, preset: twilio, username: AC0, password: p4ss }
recorded:
`;
  expect(await printed(`${two}  - answer: { status: 200, body: x }`)).toEqual([
    'recorded[0] (line 7, column 5): needs a key "carrier" with the name of a carrier by HTTP in this file',
  ]);
  const lines = await printed(`${two}  - carrier: sms
    answer: { status: 429, headers: { Retry-After: 7 }, body: {} }
    receipts:
      - headers: { Content-Type: application/x-www-form-urlencoded }
        body: { MessageSid: SM1, MessageStatus: delivered }
`);
  expect(lines).toContain('carrier box');
  expect(lines.join('\n')).toMatch(/HTTP 429: not taken now; tried again after 7 s/);
  expect(lines.slice(-2)).toEqual([
    '  call with receipts: refused with 403, because its signature is not the carrier’s; without that, it says',
    expect.stringMatching(/^ {4}SM1 is DELIVERED/),
  ]);
  expect(lines.join('\n')).not.toContain('p4ss');
});
