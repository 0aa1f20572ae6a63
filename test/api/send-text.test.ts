/** Tests which texts an SMS may have, what becomes of them, and how many parts they take. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { recipient, sendPath, singlePath, storedOf } from '../harness/messaging.ts';

/** Replacement is enabled for bob only. */
const provisioning = standardProvisioning.replace(
  `username: bob,`,
  `username: bob, replaceCharacters: true,`,
);

describe('/send, text', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const post = (body: object, user = alice) => app.as(user).post(sendPath, { to: [recipient(1)], ...body });
  const parts = async (message: string) => {
    const answer = await post({ message, shownumberparts: true });
    expect(answer.status).toBe(200);
    return answer.body.accepted[0].parts as string;
  };

  test.each<[what: string, message: string, parts: string]>([
    ['160 GSM-7 characters', 'x'.repeat(160), '1'],
    ['161 GSM-7 characters', 'x'.repeat(161), '2'],
    ['306 GSM-7 characters', 'x'.repeat(306), '2'],
    ['307 GSM-7 characters', 'x'.repeat(307), '3'],
    ['80 euro signs, two septets each', '€'.repeat(80), '1'],
    ['81 euro signs', '€'.repeat(81), '2'],
    // 152 septets fit before an escape that must not be split: 152 + 2 would be 154.
    ['an euro sign that does not fit into its part', `${'x'.repeat(152)}€${'x'.repeat(152)}`, '3'],
    ['Nordic letters', 'åäöÅÄÖæøÆØ'.repeat(16), '1'],
    ['70 UCS-2 characters', 'ж'.repeat(70), '1'],
    ['71 UCS-2 characters', 'ж'.repeat(71), '2'],
    ['134 UCS-2 characters', 'ж'.repeat(134), '2'],
    ['135 UCS-2 characters', 'ж'.repeat(135), '3'],
    ['one foreign character makes the whole message UCS-2', `${'x'.repeat(70)}ж`, '2'],
    ['35 emoji', '😀'.repeat(35), '1'],
    ['36 emoji', '😀'.repeat(36), '2'],
    // 66 units fit before a pair that must not be split across the 67th.
    ['an emoji that does not fit into its part', `${'ж'.repeat(66)}😀${'ж'.repeat(66)}`, '3'],
  ])('[SEND-17] [ENC-1] The parts of a text are counted in the answer: %s', async (_, message, expected) => {
    expect(await parts(message)).toBe(expected);
    const single = await app.as(alice).post(singlePath, { to: recipient(1), message });
    expect(single.body).toEqual({ to: recipient(1), id: expect.any(String), parts: expected });
  });

  test('[SEND-21] A text of 255 parts is sent, and a text of 256 is refused', async () => {
    expect(await parts('x'.repeat(255 * 153))).toBe('255');
    expect(await parts('ж'.repeat(255 * 67))).toBe('255');
    for (const message of ['x'.repeat(255 * 153 + 1), 'ж'.repeat(255 * 67 + 1)]) {
      const refused = await post({ message });
      expect(refused).toMatchObject({ status: 400, body: { code: 'text_too_long' } });
      expect(refused.body.error).toContain('256');
    }
  });

  test.each<[given: string, stored: string]>([
    ['one\r\ntwo\rthree\u2028four', 'one\ntwo\nthree\nfour'],
    ['a\tb', 'a b'],
    ['\ufeffa\u0007b\u001bc\u0085', 'abc\n'],
    ['  spaces stay  ', '  spaces stay  '],
    ['👨‍👩‍👧 e\u0301', '👨‍👩‍👧 e\u0301'],
  ])('[ENC-2] %j is sent as %j', async (given, stored) => {
    expect(await storedOf(app, await post({ message: given }))).toMatchObject([{ text: stored }]);
  });

  test('[ENC-2] Halves of surrogate pairs become replacement characters, and U+0000 is refused', async () => {
    const halves = `{"to":["${recipient(1)}"],"message":"a\\ud83d b\\ude00"}`;
    const answer = await app.as(alice).post(sendPath, halves);
    expect(await storedOf(app, answer)).toMatchObject([{ text: 'a\ufffd b\ufffd' }]);
    for (const body of [{ message: 'a\u0000b' }, { message: 'a', conversation: '\u0000' }]) {
      expect(await post(body)).toMatchObject({ status: 400, body: { code: 'invalid_value' } });
    }
  });

  test.each<[what: string, message: string, valid: boolean]>([
    ['160 characters', 'x'.repeat(160), true],
    ['161 characters', 'x'.repeat(161), false],
    ['160 characters of the basic extension', '€'.repeat(160), true],
    ['every kind of GSM 03.38', 'Å@£$ΔΩ {[]}~\\|^€', true],
    ['a typographic quote', 'it’s', false],
    ['an emoji', '😀', false],
  ])('[SEND-10] A flash SMS has up to 160 characters, all of GSM-7: %s', async (_, message, valid) => {
    const answer = await post({ message, flash: true });
    if (valid) expect(await storedOf(app, answer)).toMatchObject([{ flash: true, text: message }]);
    else expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_flash_text' } });
    const single = await app.as(alice).post(singlePath, { to: recipient(1), message, flash: true });
    expect(single.status).toBe(valid ? 200 : 400);
  });

  test('[SEND-10] [SEND-11] Characters are replaced before a text is checked for flash, for an account that may use replacement', async () => {
    const body = { message: 'it’s – “done”…', flash: true, replacecharacters: true };
    expect(await post(body)).toMatchObject({ status: 400, body: { code: 'invalid_flash_text' } });
    const stored = await storedOf(app, await post(body, bob));
    expect(stored).toMatchObject([{ text: 'it\'s - "done"...', flash: true }]);
  });

  test.each<[given: string, replaced: string]>([
    ['“a” ‘b’ „c‟ «d» ‹e›', '"a" \'b\' "c" "d" \'e\''],
    ['a–b—c‐d‑e', 'a-b-c-d-e'],
    ['wait…', 'wait...'],
    ['a\u00a0b\u202fc\u2009d\u3000e', 'a b c d e'],
    ['ê ő č ł ş ï', 'e ö c l s i'],
    ['ＡＢＣ１２３', 'ABC123'],
  ])('[SEND-11] %j becomes %j where the account enables it, else stays', async (given, replaced) => {
    const body = { message: given, replacecharacters: true };
    expect(await storedOf(app, await post(body, bob))).toMatchObject([{ text: replaced }]);
    expect(await storedOf(app, await post(body))).toMatchObject([{ text: given }]);
    expect(await storedOf(app, await post({ message: given }, bob))).toMatchObject([{ text: given }]);
  });

  test('[SEND-11] Replacement never touches GSM-7 characters, and leaves characters without a similar one', async () => {
    const message = 'åäö€{}[]~^|\\ΔΩ 中文';
    const answer = await post({ message, replacecharacters: true }, bob);
    expect(await storedOf(app, answer)).toMatchObject([{ text: message }]);
  });

  test('[SEND-11] [SEND-17] Replacing characters saves parts', async () => {
    const message = `${'x'.repeat(157)}…`;
    const counted = { message, shownumberparts: true };
    expect((await post({ ...counted, replacecharacters: true }, bob)).body.accepted[0].parts).toBe('1');
    expect((await post(counted, bob)).body.accepted[0].parts).toBe('3');
  });
});
