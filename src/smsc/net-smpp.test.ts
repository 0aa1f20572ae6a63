import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hasNetSmpp } from '../../test/carriers/net-smpp.ts';
import { startSmsc, stopSmscs } from '../../test/carriers/smsc-setup.ts';
import { until } from '../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass, passDuring } from '../../test/harness/held-time.ts';

beforeEach(holdTime);
afterEach(async () => {
  await passDuring(stopSmscs());
  letTimeGo();
});

const script = fileURLToPath(new URL('../../test/carriers/net-smpp-esme.pl', import.meta.url));

test('[DLV-3] Perl’s Net::SMPP works as a client of the SMSC for tests: it submits, gets receipts and SMS, and unbinds', async ({
  skip,
}) => {
  if (!hasNetSmpp) skip('Net::SMPP is not installed (Debian: libnet-smpp-perl)');
  const { port, lines } = await startSmsc(
    `
    receiptForm: text
    rules:
      - { prefix: "46701740611", stat: UNDELIV, err: "027", receiptMs: 1300 }
      - { prefix: "", receiptMs: 1000, reply: "Hello Perl", replyMs: 1600 }
  `,
    { receiptMs: 1_000 },
  );
  const perl = spawn('perl', [script, String(port), '3'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  perl.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  let status: number | null | undefined;
  perl.once('close', (code) => {
    status = code;
  });
  // That package loses a receipt that arrives before the response to its next submission.
  await until(() => output.split('answer ').length === 3 || status !== undefined);
  pass(1_600);
  await until(() => status !== undefined);
  expect(status).toBe(0);
  const ids = [...output.matchAll(/^answer 0 (\d+)$/gm)].map(([, id]) => id);
  const receipt = (id: string | undefined, end: string) =>
    expect.stringMatching(
      `^delivered 4 \\d+ id:${id} sub:001 dlvrd:00. submit date:\\d{10} done date:\\d{10} ${end}$`,
    );
  expect(output.trimEnd().split('\n')).toEqual([
    'bound 0 carillon-smsc',
    `answer 0 ${ids[0]}`,
    `answer 0 ${ids[1]}`,
    receipt(ids[0], 'stat:DELIVRD err:000 text:Hello from Perl'),
    receipt(ids[1], 'stat:UNDELIV err:027 text:Hello from Perl'),
    'delivered 0 46701740699 Hello Perl',
    'alive 0',
    'left 0',
  ]);
  expect(lines().at(-1)).toBe('unbind #1  "perl" unbinds');
});
