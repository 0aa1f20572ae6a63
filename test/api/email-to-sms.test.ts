/** Tests keeping the list of e-mail senders: setting and unsetting entries, by GET, POST and DELETE. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Parameters } from '../harness/api-client.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import {
  allSettings,
  allShown,
  bareAdmin,
  companyAdmin,
  defaultPath,
  domainsPath,
  emailAdmin,
  emailProvisioning,
  endings,
  plainEntry,
  setPath,
  taxiAdmin,
  unsetPath,
} from '../harness/email.ts';

describe('e-mail senders', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: emailProvisioning });
  });
  afterAll(() => app?.close());

  const post = (path: string, body: object, user = companyAdmin) => app.as(user).post(path, body);
  const get = (path: string, query: Parameters | string, user = companyAdmin) =>
    app.as(user).get(path, query);
  const set = (email: string, given: object = {}, user = companyAdmin) =>
    post(setPath, { email, payinguser: 'payer', ...given }, user);
  const unset = (email: string, user = companyAdmin) => post(unsetPath, { email }, user);

  describe('/set', () => {
    const fullAnswer = { ...plainEntry, ...allShown, blocked: true };

    test('[E2S-1] [CONV-2] [CONV-3] Setting an e-mail sender by GET and by POST takes the same parameters and gives the same response', async () => {
      const posted = await post(setPath, { email: 'full@care.example', blocked: true, ...allSettings });
      expect(posted.body).toEqual({ ...fullAnswer, email: 'full@care.example' });
      expect(posted).toMatchObject({ status: 200 });
      expect(posted.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const words = ['T', 'true', 'Y', 'Yes', 'TRUE', 'y', 'yEs'] as const;
      const got = await get(setPath, {
        EM: 'full@care.example',
        BL: words[0],
        PU: '501',
        SD: 'NordicCare',
        CC: 'Ward 7, säng 1+2',
        DC: '46',
        MS: '3',
        CM: words[1],
        IS: words[2],
        ND: words[3],
        OM: words[4],
        SC: words[5],
        SL: words[6],
      });
      expect(got.text).toBe(posted.text);
      const none = await get(
        setPath,
        'EM=full%40care.example&PU=payer&BL=F&CM=FALSE&IS=n&ND=No&OM=false&SC=f&SL=NO&SD=&CC=&DC=&MS=',
      );
      expect(none.body).toEqual({ ...plainEntry, email: 'full@care.example' });
    });

    test('[E2S-1] [CONV-6] An e-mail entry needs only an address and a paying user, and null or the empty string counts as not given', async () => {
      const answer = await set('least@care.example');
      expect(answer.body).toEqual({ ...plainEntry, email: 'least@care.example' });
      const nothing = { blocked: null, sender: '', costCenter: null, maxSms: '', checkMobile: null };
      expect((await set('least@care.example', nothing)).body).toEqual(answer.body);
      expect((await set('least@care.example', { maxSms: 9, defaultCountryCode: 46 })).body).toMatchObject({
        maxSms: 9,
        defaultCountrycode: '46',
      });
      expect((await set('least@care.example', { unknown: 'x', EM: 'a@b' })).body).toEqual(answer.body);
    });

    test('[E2S-1] E-mail addresses match regardless of letter case, the alphabet of their domain and needless quotes', async () => {
      await set('Ward7@Care.Example', { maxSms: '7' });
      expect((await set('"WARD7"@CARE.example')).body).toMatchObject({ email: 'ward7@care.example' });
      expect((await unset('wArD7@cAre.exAmple')).body).toEqual({
        result: 'OK',
        deletedEmail: 'ward7@care.example',
      });
      expect((await set('@läsning.BÜCHER.example')).body).toMatchObject({
        email: '@xn--lsning-bua.xn--bcher-kva.example',
      });
      expect((await unset('@xn--lsning-bua.xn--bcher-kva.example')).status).toBe(200);
    });

    test('[E2S-1] Setting an e-mail sender that already exists replaces its whole entry', async () => {
      await set('again@care.example', { ...allSettings, blocked: true });
      const answer = await set('again@care.example', { sender: 'Other' });
      expect(answer.body).toEqual({ ...plainEntry, email: 'again@care.example', sender: 'Other' });
      const blocked = await post(setPath, {
        email: 'again@care.example',
        payinguser: 'plain',
        blocked: true,
      });
      expect(blocked.body).toMatchObject({ blocked: true, payinguserId: '502', sender: '' });
    });

    test('[E2S-1] A whole domain has its own entry, besides those of addresses in it', async () => {
      expect((await set('@care.example', { blocked: true })).body).toMatchObject({
        email: '@care.example',
        blocked: true,
      });
      await set('a@care.example');
      expect((await unset('@care.example')).body).toEqual({ result: 'OK', deletedEmail: '@care.example' });
      expect((await unset('a@care.example')).status).toBe(200);
    });

    test.each([
      ['Abc', 'Abc'],
      ['NordicCare1', 'NordicCare1'],
      ['123', '123'],
      ['46731230001', '46731230001'],
      ['+4673-1230', '46731230'],
    ])('[E2S-5] An e-mail entry accepts the sender id %s', async (sender, kept) => {
      expect((await set('bounds@care.example', { sender })).body).toMatchObject({ sender: kept });
      expect((await get(setPath, { EM: 'bounds@care.example', PU: 501, SD: sender })).body).toMatchObject({
        sender: kept,
      });
    });

    test.each(['1', '255', '007'])('[E2S-5] An e-mail entry accepts %s as maxSms', async (maxSms) => {
      expect((await set('bounds@care.example', { maxSms })).body).toMatchObject({ maxSms: Number(maxSms) });
    });

    test('[E2S-4] The paying user is given by id or by name, and may have used up the quota', async () => {
      for (const payinguser of ['509', '0509', 'poor']) {
        expect((await set('poor@care.example', { payinguser })).body).toMatchObject({
          payinguserId: '509',
          payinguserName: 'poor',
        });
      }
      // Digits are taken as an id even if they are a user's name.
      expect((await set('poor@care.example', { payinguser: '505' })).body).toMatchObject({
        payinguserName: '900',
      });
    });
  });

  describe('/unset', () => {
    const removed = (email: string) => ({ result: 'OK', deletedEmail: email });

    test('[E2S-1] /unset removes an entry by POST, GET and DELETE, and answers 404 once it is gone', async () => {
      const ways = [
        (email: string) => unset(email),
        (email: string) => get(unsetPath, { EM: email }),
        (email: string) =>
          app.as(companyAdmin).request('DELETE', `${unsetPath}?EM=${encodeURIComponent(email)}`),
      ];
      for (const [index, way] of ways.entries()) {
        const email = `gone${index}@care.example`;
        await set(email);
        const answer = await way(email);
        expect(answer).toMatchObject({ status: 200, body: removed(email) });
        expect(await way(email)).toMatchObject({
          status: 404,
          body: { result: 'ERROR', code: 'not_found', error: expect.stringContaining(email) },
        });
      }
    });

    test('[E2S-1] [AUTH-1] DELETE on /unset takes its credentials from the URL, and ignores its body', async () => {
      const { username, password } = emailAdmin;
      const key = (await app.as(emailAdmin).get('/authentication/auth/apikey', { name: 'e' })).body as string;
      for (const query of [{ U: username, P: password }, { key }]) {
        await set('deleted@care.example');
        const url = `${unsetPath}?${new URLSearchParams({ EM: 'Deleted@care.example', ...query })}`;
        const body = JSON.stringify({ email: 'a@b', username: 'x' });
        expect(await app.as().request('DELETE', url, { body })).toMatchObject({
          status: 200,
          body: removed('deleted@care.example'),
        });
      }
      const inBody = { body: JSON.stringify({ email: 'a@care.example', username, password }) };
      expect(await app.as().request('DELETE', unsetPath, inBody)).toMatchObject({
        status: 401,
        body: { result: 'ERROR', code: 'unauthorised' },
      });
    });

    test('[E2S-2] /unset lists allowedDomainEndings in its error only if the domain is not allowed', async () => {
      for (const answer of [
        await unset('a@elsewhere.example'),
        await get(unsetPath, 'EM=%40elsewhere.example'),
      ]) {
        expect(answer).toMatchObject({ status: 400 });
        expect(answer.body).toMatchObject({
          result: 'ERROR',
          code: 'domain_not_allowed',
          error: expect.stringContaining('elsewhere.example'),
          allowedDomainEndings: endings,
        });
      }
      for (const answer of [
        await unset('nobody@care.example'),
        await unset('no address'),
        await post(unsetPath, {}),
        await set('a@elsewhere.example'),
      ]) {
        expect(answer.body).toMatchObject({ result: 'ERROR' });
        expect(answer.body).not.toHaveProperty('allowedDomainEndings');
      }
    });
  });

  describe('/querydomains', () => {
    test('[E2S-1] /querydomains gives the allowed domain endings, by GET and POST', async () => {
      const body = { result: 'OK', allowedDomainEndings: endings };
      expect(await get(domainsPath, '', emailAdmin)).toMatchObject({ status: 200, body });
      expect(await app.as(companyAdmin).post(domainsPath)).toMatchObject({ status: 200, body });
      expect((await get(domainsPath, '', bareAdmin)).body).toEqual({
        result: 'OK',
        allowedDomainEndings: [],
      });
    });
  });

  test.each([
    ['care.example', true],
    ['ward.care.example', true],
    ['intensivecare.example', true],
    ['care.example.evil.example', false],
    ['bücher.example', false],
    ['a.bücher.example', true],
  ])('[E2S-6] For an e-mail sender, the domain %s is allowed: %s', async (domain, allowed) => {
    const answers = [await set(`e2s6@${domain}`), await set(`@${domain}`)];
    const refused = { status: 400, body: { code: 'domain_not_allowed', errors: [{ field: 'email' }] } };
    for (const answer of answers) expect(answer).toMatchObject(allowed ? { status: 200 } : refused);
  });

  test('[E2S-6] A company without domain endings cannot set an e-mail sender, and the error says why', async () => {
    expect(await set('a@care.example', { payinguser: 'zoe' }, bareAdmin)).toMatchObject({
      status: 400,
      body: { code: 'domain_not_allowed', error: expect.stringContaining('no allowed domain endings yet') },
    });
  });

  test('[E2S-3] An e-mail sender of another company is refused with 409 and stays as it is', async () => {
    await set('shared@x.care.example');
    for (const answer of [
      await set('Shared@x.care.example', { payinguser: 'tom' }, taxiAdmin),
      await unset('shared@x.care.example', taxiAdmin),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { result: 'ERROR', code: 'belongs_to_another' } });
    }
    expect((await unset('shared@x.care.example')).status).toBe(200);
    expect((await set('shared@x.care.example', { payinguser: 'tom' }, taxiAdmin)).status).toBe(200);
    expect(await set('shared@x.care.example')).toMatchObject({ status: 409 });
  });

  test('[E2S-3] Of many concurrent claims to one domain, only the claims of one company succeed', async () => {
    const claims = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? set('@contested.care.example')
        : set('@contested.care.example', { payinguser: 'tom' }, taxiAdmin),
    );
    const statuses = (await Promise.all(claims)).map(({ status }) => status);
    const [ours, theirs] = [0, 1].map((odd) => statuses.filter((_, index) => index % 2 === odd));
    expect([new Set(ours), new Set(theirs)]).toContainEqual(new Set([200]));
    expect([new Set(ours), new Set(theirs)]).toContainEqual(new Set([409]));
  });

  test('[E2S-1] E-mail entries and defaults survive a crash and a restart with an unchanged provisioning file', async () => {
    await set('durable@care.example');
    await post(defaultPath, { sender: 'Durable' });
    await app.kill();
    await app.restart();
    expect((await post(defaultPath, {})).body).toMatchObject({ sender: 'Durable' });
    expect((await unset('durable@care.example')).status).toBe(200);
    expect((await post(defaultPath, { sender: '' })).body).toMatchObject({ sender: '' });
  });
});
