/** The management API answers in the language that its reader prefers; the API contract's own endpoints answer in English. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preferredLanguage } from '../../src/foundation/language.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { sendPath } from '../harness/messaging.ts';

test.each([
  [undefined, 'en'],
  ['sv', 'sv'],
  ['sv-SE,sv;q=0.9,en;q=0.8', 'sv'],
  ['en, sv', 'en'],
  ['sv, en', 'sv'],
  ['en;q=0.5, SV-fi;q=0.7', 'sv'],
  ['de, sv;q=0.1', 'sv'],
  ['sv;q=0', 'en'],
  ['svx, *', 'en'],
] as const)('[CONV-14] The header Accept-Language %s asks for %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});

describe('the language of answers', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning });
  });
  afterAll(() => app?.close());
  const swedish = { 'accept-language': 'sv-SE, sv;q=0.9, en;q=0.8' };

  test('[CONV-14] [PORT-13] A refusal has the same code and values in both languages, and the sentence of its reader', async () => {
    const client = app.as(alice);
    const path = '/api/v1/messages/999';
    const [english, translated] = [await client.get(path), await client.get(path, {}, swedish)];
    expect(english.body).toMatchObject({ code: 'not_found', error: 'There is no message 999.' });
    expect(translated.body).toMatchObject({
      code: 'not_found',
      error: 'Det finns inte, eller inte längre, eller så får du inte se det.',
    });
    expect({ ...translated.body, error: '' }).toEqual({ ...english.body, error: '' });
  });

  test('[CONV-14] [PORT-13] Faults of fields and of the login are in the reader’s language', async () => {
    const faulty = await app.as(alice).get('/api/v1/messages', { limit: 'many' }, swedish);
    expect(faulty.body).toMatchObject({
      error: 'Värdet går inte att använda.',
      errors: [{ field: 'limit', error: 'Värdet går inte att använda.' }],
    });
    const stranger = await app.as(undefined).get('/api/v1/messages', {}, swedish);
    expect(stranger.body).toMatchObject({
      error: 'Du är inte inloggad, eller har inte tillgång till det här.',
    });
  });

  test('[CONV-14] The endpoints of the API contract answer in English, whoever asks', async () => {
    const asked = await app.as(alice).post(sendPath, { message: 'Hello', to: [] }, swedish);
    expect(asked.status).toBe(400);
    expect(asked.body.error).toMatch(/^The call has no recipients/);
  });
});
