/** The management API answers in the language that its reader prefers; the API contract's own endpoints answer in English. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preferredLanguage } from '../../src/foundation/language.ts';
import { alice, carol, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
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
    const provisioning = standardProvisioning.replace('roles: []', 'roles: [send, companyAdmin]');
    app = await startWholeApp({ engine: 'sqlite', provisioning });
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
      error: 'Det finns inget meddelande 999.',
    });
    const textless = { error: '', title: '', detail: '' };
    expect({ ...translated.body, ...textless }).toEqual({ ...english.body, ...textless });
  });

  test('[CONV-14] [PORT-13] Faults of fields and of the login are in the reader’s language', async () => {
    const faulty = await app.as(alice).get('/api/v1/messages', { limit: 'many' }, swedish);
    const error = 'Det ska vara ett heltal som är minst 1, men är ”many”.';
    expect(faulty.body).toMatchObject({ error, errors: [{ field: 'limit', error }] });
    const stranger = await app.as(undefined).get('/api/v1/messages', {}, swedish);
    expect(stranger.body).toMatchObject({
      error: 'Du är inte inloggad, eller har inte tillgång till det här.',
    });
  });

  test('[CONV-14] [PORT-4] Faults of rows in a file of people say as much in Swedish as in English', async () => {
    const client = app.as(carol);
    const { body: book } = await client.post('/api/v1/addressbooks', { name: 'Avdelning 3' });
    const errorsOf = async (headers: Record<string, string>) => {
      const path = `/api/v1/addressbooks/${book.id}/import/preview`;
      const file = 'id,phone,email,tags\n1,4670x,,\n2,,anna,\n3,,,role\n4,,,a:b:c\n1,,,,5\n,,,role:x\n';
      const sent = { headers: { ...headers, 'content-type': 'text/csv' }, body: file };
      const { body } = await client.request('POST', path, sent);
      return body.faults.map(({ error }: { readonly error: string }) => error);
    };
    expect(await errorsOf({})).toEqual([
      'phone: “4670x” contains “x”, which a phone number cannot have. A phone number has 7 to 15 digits and begins with its country code.',
      'email: must be an e-mail address such as anna@care.example.',
      'tags: “role” is not a tag; a tag is a type and a value, such as role:nurse, and role:nurse;ward:7|8 are three tags',
      'tags: the tag value “b:c” contains “:”, which separates tags in filters',
      'has 5 cells, but the first line has 4',
      'has no id, phone or email to recognise the contact by',
    ]);
    expect(await errorsOf(swedish)).toEqual([
      'telefon: ”4670x” innehåller ”x”, som ett telefonnummer inte kan ha. Ett telefonnummer har 7 till 15 siffror och börjar med landsnumret.',
      'e-post: Ange en e-postadress, som anna@care.example.',
      'taggar: ”role” är ingen tagg; en tagg är en typ och ett värde, som role:nurse, och role:nurse;ward:7|8 är tre taggar',
      'taggar: taggvärdet ”b:c” innehåller ”:”, som skiljer taggar åt i filter',
      'har 5 celler, men första raden har 4',
      'har varken id, telefonnummer eller e-postadress att känna igen personen på',
    ]);
  });

  test('[CONV-14] The endpoints of the API contract answer in English, whoever asks', async () => {
    const asked = await app.as(alice).post(sendPath, { message: 'Hello', to: [] }, swedish);
    expect(asked.status).toBe(400);
    expect(asked.body.error).toMatch(/^The call has no recipients/);
  });

  test.each([
    ['messages', 'mottaget,id,till,från,status,', 'accepted,id,to,from,status,'],
    ['audit', 'tid,användare,via,vad,objekt,detaljer', 'time,username,channel,act,object,details'],
    ['usage', 'månad,meddelanden,delar,simulerat', 'month,messages,parts,simulated'],
    ['optouts', 'nummer,kategori,sedan,källa,', 'number,category,since,source,'],
    ['email/senders', 'e-post,spärrad,betalas av,avsändarnamn,', 'email,blocked,payingUser,sender,'],
  ])(
    '[CONV-14] The columns of %s.csv are named in the language of their reader, in English for programs',
    async (name, swedishHead, englishHead) => {
      const path = `/api/v1/${name}.csv`;
      const client = app.as(carol);
      const head = async (query: Record<string, string>, headers = {}) =>
        (await client.get(path, query, headers)).text.split(/\r?\n/)[0];
      expect(await head({})).toMatch(new RegExp(`^\ufeff?${englishHead}`));
      expect(await head({}, swedish)).toMatch(new RegExp(`^\ufeff?${swedishHead}`));
      expect(await head({ language: 'sv' })).toBe(await head({}, swedish));
      expect(await head({ language: 'en' }, swedish)).toBe(await head({}));
    },
  );

  test('[CONV-14] Values of a Swedish file are words, and the file of opt-outs is understood again', async () => {
    const client = app.as(carol);
    await client.post(sendPath, { message: 'Hello', to: ['46701740699'] });
    const { text } = await client.get('/api/v1/messages.csv', { language: 'sv' });
    expect(text).toMatch(/,(?:väntar|på väg|levererat),/);
    const made = { number: '46701740698', category: 'marketing' };
    expect((await client.post('/api/v1/optouts', made)).status).toBe(201);
    const file = await client.get('/api/v1/optouts.csv', { language: 'sv' });
    expect(file.text).toMatch(/^46701740698,reklam,.*,ett program,/m);
    const read = await client.request('POST', '/api/v1/optouts/import', {
      headers: { 'content-type': 'text/csv' },
      body: file.text,
    });
    expect(read.body).toMatchObject({ rows: 1, added: 0, unchanged: 1, faulty: 0 });
    const log = await client.get('/api/v1/audit.csv', { language: 'sv', act: 'optout.export' });
    expect(log.text).toMatch(/,ett program,exporterade avanmälningarna,/);
    const added = { act: 'optout.add', details: 'marketing, api' };
    const entries = async (headers = {}) => (await client.get('/api/v1/audit', {}, headers)).body.entries;
    expect(await entries()).toContainEqual(expect.objectContaining(added));
    expect(await entries(swedish)).toContainEqual(
      expect.objectContaining({ ...added, details: 'reklam, ett program' }),
    );
  });
});
