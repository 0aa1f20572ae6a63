/** Tests texts for single recipients: by `tosubst`, by `TS` and `H`, and by the holders of `/send/single`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { recipient, sendPath, singlePath, storedMessages, storedOf } from '../harness/messaging.ts';

const [one, two, three] = [recipient(1), recipient(2), recipient(3)];

/** A message, labels each followed by its text, and the text that the recipient gets. */
const cases: readonly (readonly [message: string, labelsAndTexts: readonly string[], result: string])[] = [
  ['Hello NAME, at TIME (NAME)', ['NAME', 'Anna', 'TIME', '9:30'], 'Hello Anna, at 9:30 (Anna)'],
  ['surNAMEs and NAMES', ['NAME', 'x'], 'surxs and xS'],
  ['name NAME Name', ['NAME', 'x'], 'name x Name'],
  ['abc ab a', ['a', '1', 'ab', '2', 'abc', '3'], '3 2 1'],
  ['abcd', ['bc', '1', 'abc', '2'], '2d'],
  ['FIRST LAST', ['FIRST', 'LAST', 'LAST', 'FIRST'], 'LAST FIRST'],
  ['aa', ['a', 'aa'], 'aaaa'],
  ['a.c abc $& (x)*', ['a.c', '1', '(x)*', '$&', '$&', '$1'], '1 abc $1 $&'],
  ['[y] \\ ^$', ['[y]', '$`', '\\', '\\\\'], '$` \\\\ ^$'],
  ['__proto__ constructor toString', ['__proto__', '1', 'constructor', '2'], '1 2 toString'],
  ['%NAME% <NAME>', ['%NAME%', 'å+&=%41', '<NAME>', '€, "x"'], 'å+&=%41 €, "x"'],
  ['Hej NAMN!', ['NAMN', ''], 'Hej !'],
  ['Hej ÅÄÖ😀', ['ÅÄÖ', 'a', '😀', 'b'], 'Hej ab'],
  ['nothing here', ['LABEL', 'x'], 'nothing here'],
  ['x NAME', ['NAME', 'Anna\nBerg'], 'x Anna\nBerg'],
];

function inPairs(items: readonly string[]): readonly (readonly [string, string])[] {
  return items.flatMap((label, at) => (at % 2 === 0 ? [[label, items[at + 1] as string] as const] : []));
}

const encode = encodeURIComponent;

describe('/send, substitution', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning });
  });
  afterAll(() => app?.close());

  const post = (body: object) => app.as(alice).post(sendPath, body);
  const get = (query: string) => app.as(alice).get(sendPath, query);
  const texts = async (answer: Parameters<typeof storedOf>[1]) =>
    (await storedOf(app, answer)).map(({ text }) => text);

  describe.each(cases)('%j with %j', (message, labelsAndTexts, expected) => {
    const pairs = inPairs(labelsAndTexts);

    test('[SEND-6] Labels in a message are replaced by the texts in tosubst', async () => {
      // Written as text, because `__proto__` in an object literal sets the prototype.
      const subst = pairs
        .map(([label, text]) => `${JSON.stringify(label)}:${JSON.stringify(text)}`)
        .join(',');
      const body = `{"message":${JSON.stringify(message)},"tosubst":[{"to":"${one}","subst":{${subst}}}]}`;
      expect(await texts(await app.as(alice).post(sendPath, body))).toEqual([expected]);
    });

    test('[SEND-6] Labels in a message are replaced by the texts in TS and H', async () => {
      const labels = pairs.map(([label]) => encode(label)).join(',');
      const items = [one, ...pairs.map(([, text]) => encode(text))].join(',');
      const answer = await get(`M8=${encode(message)}&H=${labels}&TS=${items}`);
      expect(await texts(answer)).toEqual([expected]);
    });

    test('[SEND-6] [SEND-18] Labels in a message are replaced by the holders of /send/single', async () => {
      const holders = pairs.flatMap(([label, text], index) => [
        [`holder${index + 1}`, label],
        [`subst${index + 1}`, text],
      ]);
      const body = { to: one, message, ...Object.fromEntries(holders) };
      const { status, body: answer } = await app.as(alice).post(singlePath, body);
      expect(status).toBe(200);
      const stored = (await storedMessages(app)).find(({ id }) => id === answer.id);
      expect(stored?.text).toBe(expected);
    });
  });

  test('[SEND-6] Each recipient with substitutions gets its own text, and recipients in `to` get the message as it is', async () => {
    const answer = await post({
      message: 'Hi NAME',
      to: [three],
      tosubst: [
        { to: one, subst: { NAME: 'Anna' } },
        { to: two, subst: { NAME: 'Bo' } },
      ],
    });
    expect(await texts(answer)).toEqual(['Hi NAME', 'Hi Anna', 'Hi Bo']);
    const byGet = await get(`M8=Hi+NAME&T=${three}&H=NAME&TS=${one},Anna,${two},Bo`);
    expect(await texts(byGet)).toEqual(['Hi NAME', 'Hi Anna', 'Hi Bo']);
  });

  test('[SEND-6] Recipients in tosubst without texts, or in TS without H, get the message as it is', async () => {
    const byPost = await post({ message: 'Hi', tosubst: [{ to: one }, { to: two, subst: null }] });
    expect(await texts(byPost)).toEqual(['Hi', 'Hi']);
    expect(await texts(await get(`M8=Hi&TS=${one},${two}`))).toEqual(['Hi', 'Hi']);
  });

  test('[SEND-6] In TS an empty item is an empty text, and white space and encoded commas stay', async () => {
    const answer = await get(`M8=A-B-C&H=A,B,C&TS=${one},,+x+,1%2C2,${two},a,b,`);
    expect(await texts(answer)).toEqual(['- x -1,2', 'a-b-']);
  });

  test('[CONV-7] TS and H given several times are joined', async () => {
    const answer = await get(`M8=A-B&H=A&TS=${one},1,2&H=B&TS=${two},3,4`);
    expect(await texts(answer)).toEqual(['1-2', '3-4']);
  });

  test('[SEND-6] A label given twice in H gets its first text', async () => {
    expect(await texts(await get(`M8=A&H=A,A&TS=${one},1,2`))).toEqual(['1']);
  });

  test('[SEND-6] A number of items in TS that does not match H is refused, and nothing is sent', async () => {
    const before = (await storedMessages(app)).length;
    for (const items of [`${one}`, `${one},1`, `${one},1,2,${two}`, `${one},1,2,3`]) {
      expect(await get(`M8=A-B&T=${three}&H=A,B&TS=${items}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_value', errors: [{ field: 'TS' }] },
      });
    }
    expect((await storedMessages(app)).length).toBe(before);
  });

  test('[SEND-6] A malformed tosubst is refused with the place of the fault', async () => {
    const refused = async (tosubst: unknown, field: string) =>
      expect(await post({ message: 'Hi', tosubst })).toMatchObject({
        status: 400,
        body: { errors: [{ field }] },
      });
    await refused({ to: one }, 'tosubst');
    await refused([one], 'tosubst[0]');
    await refused([{ subst: {} }], 'tosubst[0].to');
    await refused([{ to: one }, { to: two, subst: ['a'] }], 'tosubst[1].subst');
    await refused([{ to: one, subst: { A: 1 } }], 'tosubst[0].subst.A');
  });

  test('[SEND-4] [SEND-6] A recipient whose own text is empty or too long is rejected, and the others get theirs', async () => {
    const answer = await post({
      message: 'TEXT',
      tosubst: [
        { to: one, subst: { TEXT: '' } },
        { to: two, subst: { TEXT: 'fine' } },
        { to: three, subst: { TEXT: 'x'.repeat(255 * 153 + 1) } },
      ],
    });
    expect(answer).toMatchObject({ status: 200, body: { rejected: [one, three] } });
    expect(await texts(answer)).toEqual(['fine']);
    const alone = await post({ message: 'TEXT', tosubst: [{ to: one, subst: { TEXT: '' } }] });
    expect(alone).toMatchObject({ status: 400, body: { errors: [{ code: 'no_text' }] } });
  });

  test('[SEND-6] [SEND-17] Parts are counted from the text that each recipient gets', async () => {
    const { body } = await post({
      message: 'TEXT',
      shownumberparts: true,
      to: [three],
      tosubst: [
        { to: one, subst: { TEXT: 'x'.repeat(161) } },
        { to: two, subst: { TEXT: `${'x'.repeat(70)}ж` } },
      ],
    });
    expect(body.accepted.map(({ parts }: { parts: string }) => parts)).toEqual(['1', '2', '2']);
  });

  test('[SEND-6] [SEND-10] A message that only its substitution makes fit for flash is sent', async () => {
    const answer = await post({
      message: 'Hej ☃',
      flash: true,
      to: [one],
      tosubst: [{ to: one, subst: { '☃': 'Anna' } }],
    });
    expect(await storedOf(app, answer)).toMatchObject([{ text: 'Hej Anna', flash: true }]);
  });
});
