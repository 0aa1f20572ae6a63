/** The server writes no texts and no secrets to its log and output, whatever passes through it. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWholeApp, type WholeApp } from './harness/app.ts';
import { keyPath, sendOne, sendPath } from './harness/messaging.ts';

/** Appears in everything that is private. */
const canary = 'Kanarienvogel';
const alice = { username: 'alice', password: `${canary} password` };

const provisioning = (greeting: string) => `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    templates:
      - { id: 1, name: Greeting, text: "${greeting} ${canary} {name}" }
    addressBooks:
      - name: Staff
        contacts: [{ id: 1, name: ${canary}, phone: "46731230011" }]
    users:
      - { username: alice, password: "${alice.password}", roles: [send, companyAdmin] }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
  # Nobody listens there.
  - { name: north, type: smpp, host: 127.0.0.1, port: 1, systemId: us, password: ${canary} }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
  - { number: "46731230001", rentedBy: alice }
`;

describe('the log', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({
      engine: 'sqlite',
      provisioning: provisioning('Hello'),
      env: { CARILLON_LOG: 'trace', CARILLON_SECRET: `${canary} and more, 32 characters at least` },
    });
  });
  afterAll(() => app.close());

  const provisioningFile = () => app.env.CARILLON_PROVISION as string;
  const written = () => app.stdout + app.stderr;

  test('[RUN-4] The log holds no text and no secret of what is sent, received or refused', async () => {
    const client = app.as(alice);
    const recipient = '46701740699';
    const { body: key } = await client.get(keyPath, { name: 'work' });
    await sendOne(client, { message: canary });
    await sendOne(client, { message: undefined, templateid: 1, substitution: { name: canary } });
    await client.post('/restsms/svcrest/batchsend/json', { batch: [{ to: [recipient], message: canary }] });
    await client.get(sendPath, { UN: alice.username, PW: alice.password, T: recipient, M: canary });
    await client.post(sendPath, { to: [recipient], message: canary, from: canary, conversation: canary });
    await client.post(sendPath, { [canary]: canary });
    await client.post(sendPath, `{"message": "${canary}`);
    await app.as({ username: alice.username, password: `not ${canary}` }).get(sendPath, { M: canary });
    await app.as({ key: `${key}${canary}` }).get(sendPath, { M: canary });
    const incoming = ['--to', '46731230001', '--from', recipient, '--text', canary];
    expect((await app.run('simulate', 'incoming', ...incoming)).exitCode).toBe(0);
    expect(written()).toContain('"msg":"answered"');
    expect(written()).not.toContain(canary);
    expect(written()).not.toContain(String(key));
  });

  test('[RUN-3] [RUN-4] The log says that a template was changed at the start, but not what it says', async () => {
    writeFileSync(provisioningFile(), provisioning('Good morning'));
    await app.restart();
    expect(written()).toContain('~ template 1 in Nordic Care: text changed');
    expect(written()).not.toContain(canary);
  });

  test('[RUN-3] [RUN-4] The errors of a provisioning file that stops the start reveal no text and no secret', async () => {
    await app.stop();
    writeFileSync(
      provisioningFile(),
      provisioning('Hello').replace(`"Hello ${canary}`, `"Hello" ${canary} "`),
    );
    const { exitCode, stdout, stderr } = await app.run('serve');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^The provisioning file .* has faults\. Nothing was applied:\nline 6, /);
    expect(stdout + stderr).not.toContain(canary);
  });
});
