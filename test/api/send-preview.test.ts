/** Tests the dry run of sending: it reports what sending would do, and leaves nothing behind. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { recipient, sendPath, storedMessages, storedOf } from '../harness/messaging.ts';

const provisioning = standardProvisioning
  .replace('username: alice,', 'username: alice, quotaParts: 40, defaultAddressBook: Staff,')
  .replace(
    'carriers:\n',
    `    addressBooks:
      - id: 11
        name: Staff
        contacts: [{ id: 1, name: Anna Berg, phone: "${recipient(1)}", tags: { role: [nurse] } }]
    templates: [{ id: 7, name: Visit, text: "Dear {Text:name}" }]
carriers:
`,
  )
  .replace(
    'numbers:',
    'numbers:\n  - { number: "46731230100", pool: true }\n  - { number: "46731230101", pool: true }',
  );

const previewPath = '/api/v1/send/preview';

describe('the dry run of /send', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const preview = async (body: object) => {
    const answer = await app.as(alice).post(previewPath, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };

  const two = [recipient(1), recipient(2)];
  test.each<[what: string, body: object]>([
    ['one text', { to: two, message: 'Hello' }],
    ['a template', { templateid: '7', tosubst: two.map((to) => ({ to, subst: { name: to } })) }],
    ['the address book', { toaddressbookcustomtagfilter: 'role:nurse', message: 'Hello' }],
    ['two-way SMS', { to: two, twoway: true, message: 'Hello', conversation: 'preview' }],
    ['several parts in UCS-2', { to: two, message: 'ж'.repeat(100), from: 'Other' }],
  ])('[SEND-1] A preview of %s shows what is then sent, and by which carrier', async (_, body) => {
    const dryRun = await preview(body);
    expect(await preview(body)).toEqual(dryRun);
    const answer = await app.as(alice).post('/api/v1/send', { ...body, shownumberparts: true });
    const sent = await storedOf(app, answer);
    expect(dryRun.recipients).toMatchObject(
      sent.map((message) => ({ to: message.recipient, from: message.sender, carrier: 'sim' })),
    );
    expect(dryRun.recipients.map(({ text }: { text: number }) => dryRun.texts[text].message)).toEqual(
      sent.map(({ text }) => text),
    );
    expect(dryRun).toMatchObject({ accepted: sent.length, rejected: 0 });
    const parts = answer.body.accepted.reduce(
      (sum: number, one: { parts: string }) => sum + Number(one.parts),
      0,
    );
    expect(dryRun.parts).toBe(parts);
  });

  test('[SEND-4] A dry run of /send names rejected recipients with reasons and known people by name, page by page', async () => {
    const body = { to: ['12', recipient(1), '+46 (0)', recipient(3)], message: 'Hello' };
    const dryRun = await preview(body);
    expect(dryRun.recipients).toMatchObject([
      { to: '12', code: 'invalid_number' },
      { to: '+46 (0)', code: 'invalid_number' },
      { to: recipient(1), name: 'Anna Berg', text: 0 },
      { to: recipient(3), text: 0 },
    ]);
    expect(dryRun).toMatchObject({ accepted: 2, rejected: 2, parts: 2, from: 'NordicCare' });
    const paged = [];
    for (let after: string | undefined = '0'; after !== undefined; ) {
      const page = await preview({ ...body, after, limit: 1 });
      paged.push(...page.recipients);
      after = page.next;
    }
    expect(paged).toEqual(dryRun.recipients);
    expect(await preview({ to: ['12'], message: 'Hello' })).toMatchObject({ accepted: 0, rejected: 1 });
  });

  test('[ENC-1] [SEND-11] A dry run of /send marks each character that puts a text into UCS-2, with its replacement', async () => {
    const { texts } = await preview({ to: [recipient(1)], message: 'Hej “Åsa” 😀' });
    expect(texts).toEqual([
      {
        message: 'Hej “Åsa” 😀',
        encoding: 'ucs2',
        parts: 1,
        characters: [
          { at: 4, character: '“', replacement: '"' },
          { at: 8, character: '”', replacement: '"' },
          { at: 10, character: '😀' },
        ],
      },
    ]);
  });

  test('[SEND-19] A dry run of /send shows the quota that is left and whether it would be exceeded, and uses none of it', async () => {
    const message = 'x'.repeat(160);
    const before = (await preview({ to: [recipient(1)], message })).quotaLeft;
    const stored = (await storedMessages(app)).length;
    const to = Array.from({ length: 41 }, (_, place) => recipient(place + 1));
    expect(await preview({ to, message })).toMatchObject({
      accepted: 41,
      parts: 41,
      quotaLeft: before,
      refusal: { code: 'quota_exceeded' },
    });
    expect((await app.as(alice).post(sendPath, { to, message })).body.code).toBe('quota_exceeded');
    expect((await storedMessages(app)).length).toBe(stored);
    expect(await app.as(alice).post(previewPath, { to: [recipient(1)] })).toMatchObject({
      status: 400,
      body: { code: 'no_text' },
    });
  });

  test('[SEND-20] A call of /api/v1/send that is repeated with its idempotency key sends once', async () => {
    const once = () =>
      app
        .as(alice)
        .post('/api/v1/send', { to: [recipient(4)], message: 'Once' }, { 'idempotency-key': 'form' });
    const [first, second] = [await once(), await once()];
    expect(second.body).toEqual(first.body);
    expect((await storedMessages(app)).filter(({ text }) => text === 'Once')).toHaveLength(1);
  });
});
