/** What an e-mail administrator reads: the search, the file, who decides for an address, who pays, and the latest e-mails. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { companyAdmin, emailAdmin, emailProvisioning, taxiAdmin } from '../harness/email.ts';

const path = '/api/v1/email';

describe('reading about e-mail senders', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: emailProvisioning });
    for (const given of [
      { email: '@lab.care.example', costCenter: '=1+1' },
      { email: 'Anna@lab.care.example', blocked: true, sender: 'Lab' },
      { email: 'bo@Bücher.care.example', maxSms: 2 },
    ])
      expect((await as(emailAdmin).post(`${path}/senders`, { payingUser: 'payer', ...given })).status).toBe(
        201,
      );
  });
  afterAll(() => app?.close());

  const as = (user: typeof emailAdmin) => app.as(user);
  const get = async (rest: string, query = {}, user = emailAdmin) =>
    (await as(user).get(`${path}/${rest}`, query)).body;
  const emails = async (q: string) =>
    (await get('senders', { q })).senders.map(({ email }: { readonly email: string }) => email);

  test('[PORT-10] [E2S-1] A search of e-mail senders takes letters of any case and other alphabets, and continues by its cursor', async () => {
    expect(await emails('LAB.')).toEqual(['@lab.care.example', 'anna@lab.care.example']);
    expect(await emails(' Bücher ')).toEqual(['bo@xn--bcher-kva.care.example']);
    expect(await emails('nobody')).toEqual([]);
    const first = await get('senders', { q: 'lab', limit: 1 });
    expect(first.senders).toHaveLength(1);
    const second = await get('senders', { q: 'lab', limit: 1, after: first.next });
    expect(second).toMatchObject({ senders: [{ email: 'anna@lab.care.example' }] });
    expect(second.next).toBeUndefined();
    expect((await get('senders', { q: 'lab' }, taxiAdmin)).senders).toEqual([]);
  });

  test('[PORT-10] [PORT-7] The file of e-mail senders has no formulas, and the audit log says who took it', async () => {
    const { text, headers } = await as(emailAdmin).get(`${path}/senders.csv`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head, ...lines] = text.trim().split('\n');
    expect(head).toBe(
      'email,blocked,payingUser,sender,costCenter,defaultCountryCode,maxSms,checkMobile,includeSubject,onlyNonDelivery,origMsg,splitCallback,senderLogic',
    );
    expect(lines).toEqual([
      "'@lab.care.example,false,payer,,'=1+1,,255,false,false,false,false,false,false",
      'anna@lab.care.example,true,payer,Lab,,,255,false,false,false,false,false,false',
      'bo@xn--bcher-kva.care.example,false,payer,,,,2,false,false,false,false,false,false',
    ]);
    const some = await as(emailAdmin).get(`${path}/senders.csv`, { q: 'anna' });
    expect(some.text.trim().split('\n')).toHaveLength(2);
    const { entries } = (await as(companyAdmin).get('/api/v1/audit')).body;
    expect(entries[0]).toMatchObject({ act: 'email.sender.export', username: emailAdmin.username });
    expect((await as(taxiAdmin).get(`${path}/senders.csv`)).text.trim().split('\n')).toHaveLength(1);
  });

  test('[PORT-10] [MAIL-1] A lookup answers for any address, and refuses what is none at its field', async () => {
    expect(await get('lookup', { email: 'kim@lab.care.example' })).toEqual({
      decision: 'allowed',
      entry: '@lab.care.example',
      payingUser: 'payer',
    });
    expect(await get('lookup', { email: 'ANNA@lab.care.example' })).toMatchObject({ decision: 'blocked' });
    expect(await get('lookup', { email: 'x@elsewhere.example' })).toEqual({ decision: 'notListed' });
    expect(await get('lookup', { email: 'kim@lab.care.example' }, taxiAdmin)).toEqual({
      decision: 'otherCompany',
    });
    const refused = await as(emailAdmin).get(`${path}/lookup`, { email: 'no address' });
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { code: 'invalid_email', errors: [{ field: 'email', code: 'invalid_email' }] },
    ]);
  });

  test('[PORT-10] [E2S-4] Only users who can pay are offered, and the pages of them miss none', async () => {
    const names: string[] = [];
    let after: string | undefined;
    do {
      const page = await get('payers', { limit: 2, ...(after && { after }) });
      names.push(...page.payers.map(({ username }: { readonly username: string }) => username));
      after = page.next;
    } while (after !== undefined);
    expect(names).toEqual(['900', 'payer', 'plain', 'poor']);
    expect((await get('payers', { q: 'pay' })).payers).toEqual([{ username: 'payer', smtpSplit: true }]);
  });

  test('[PORT-10] The latest e-mails are those of the own company, of which there are none yet', async () => {
    expect(await get('recent')).toEqual({ mails: [] });
    const refused = await as(emailAdmin).get(`${path}/recent`, { after: 'x' });
    expect(refused.status).toBe(400);
  });
});
