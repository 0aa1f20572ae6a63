/** Tests a company's defaults for all of its e-mail senders, and which defaults apply to an entry. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Parameters } from '../harness/api-client.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import {
  allSettings,
  allShown,
  companyAdmin,
  defaultPath,
  emailAdmin,
  emailProvisioning,
  plainEntry,
  setPath,
  taxiAdmin,
} from '../harness/email.ts';

const cleared = {
  payinguser: '',
  sender: '',
  costCenter: '',
  defaultCountryCode: '',
  maxSms: '',
  checkMobile: null,
  includeSubject: null,
  onlyNonDelivery: null,
  origMsg: null,
  splitCallback: null,
  senderLogic: null,
};

const { blocked: _, ...settings } = plainEntry;
const noDefaults = { ...settings, companyId: '7', payinguserId: '', payinguserName: '' };

const some = { ...allSettings, payinguser: 'payer' };
const someAnswer = { ...noDefaults, ...allShown };

describe('defaults of e-mail senders', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: emailProvisioning });
  });
  afterAll(() => app?.close());
  beforeEach(async () => {
    expect((await change(cleared)).body).toEqual(noDefaults);
  });

  const change = (given: object, user = companyAdmin) => app.as(user).post(defaultPath, given);
  const changeByGet = (given: Parameters | string) => app.as(emailAdmin).get(defaultPath, given);
  const set = (given: object, user = companyAdmin) =>
    app.as(user).post(setPath, { email: 'a@care.example', ...given });

  test('[E2S-3] E-mail defaults change by GET and POST alike, only if a value is given, and an empty call returns all of them', async () => {
    expect((await change(some)).body).toEqual(someAnswer);
    expect((await change({})).body).toEqual(someAnswer);
    expect((await changeByGet('')).body).toEqual(someAnswer);
    expect((await change(cleared)).body).toEqual(noDefaults);
    const got = await changeByGet(
      'PU=501&SD=NordicCare&CC=Ward+7%2C+s%C3%A4ng+1%2B2&DC=46&MS=3&CM=T&IS=true&ND=Y&OM=YES&SC=y&SL=TRUE',
    );
    expect(got.body).toEqual(someAnswer);
    expect((await changeByGet({ SD: 'Other', CM: 'F' })).body).toEqual({
      ...someAnswer,
      sender: 'Other',
      checkMobile: false,
    });
    expect((await change({ maxSms: 4, includeSubject: false })).body).toEqual({
      ...someAnswer,
      sender: 'Other',
      checkMobile: false,
      maxSms: 4,
      includeSubject: false,
    });
  });

  test('[E2S-3] In e-mail defaults the empty string clears a value, and null clears booleans but leaves other values alone', async () => {
    await change(some);
    const { payinguserId, payinguserName, ...rest } = someAnswer;
    expect((await change({ payinguser: null, sender: null, maxSms: null })).body).toEqual(someAnswer);
    expect((await change({ checkMobile: null, sender: '' })).body).toEqual({
      ...someAnswer,
      checkMobile: false,
      sender: '',
    });
    expect((await changeByGet('PU=&SC=')).body).toEqual({
      ...rest,
      payinguserId: '',
      payinguserName: '',
      checkMobile: false,
      sender: '',
      splitCallback: false,
    });
    expect((await changeByGet('CC=&DC=&MS=&IS=&ND=&OM=&SL=')).body).toEqual(noDefaults);
  });

  test('[E2S-3] An e-mail sender entry takes the current defaults for what /set leaves out', async () => {
    await change(some);
    const { companyId, ...defaults } = someAnswer;
    const entry = { ...defaults, email: 'a@care.example', blocked: false };
    expect((await set({})).body).toEqual(entry);
    expect((await set({ sender: '', maxSms: null, checkMobile: null })).body).toEqual(entry);
    expect((await app.as(companyAdmin).get(setPath, 'EM=a@care.example&SD=&CM=&PU=')).body).toEqual(entry);
    const own = { payinguser: 'plain', sender: 'Own', maxSms: 200, checkMobile: false, splitCallback: false };
    expect((await set(own)).body).toEqual({
      ...entry,
      payinguserId: '502',
      payinguserName: 'plain',
      sender: 'Own',
      maxSms: 200,
      checkMobile: false,
      splitCallback: false,
    });
    await change({ ...cleared, payinguser: 'plain' });
    expect((await set({})).body).toEqual({
      ...plainEntry,
      email: 'a@care.example',
      payinguserId: '502',
      payinguserName: 'plain',
    });
  });

  test('[E2S-3] E-mail defaults apply to their own company only', async () => {
    await change(some);
    const theirs = (await change({}, taxiAdmin)).body;
    expect(theirs).toMatchObject({ payinguserId: '', sender: '', maxSms: 255 });
    expect(theirs.companyId).toMatch(/^[0-9]+$/);
    expect(theirs.companyId).not.toBe('7');
    expect(await set({ email: 'a@x.care.example' }, taxiAdmin)).toMatchObject({ status: 400 });
  });

  test('[E2S-3] [E2S-4] An e-mail sender entry without a paying user, given or by default, is refused', async () => {
    await change({ sender: 'Care' });
    for (const given of [{}, { blocked: true }, { payinguser: '' }]) {
      expect(await set({ email: 'b@care.example', ...given })).toMatchObject({
        status: 400,
        body: {
          result: 'ERROR',
          code: 'missing_parameter',
          errors: [{ field: 'payinguser', code: 'missing_parameter' }],
        },
      });
    }
  });

  test.each([
    'idle',
    '503',
    'jobber',
    'norole',
    'tom',
    '601',
    'nobody',
    '1',
    '900',
    '9'.repeat(30),
    'Payer',
    "' OR 1=1",
  ])(
    '[E2S-4] An unfit paying user such as %s is refused in e-mail entries and in defaults',
    async (payinguser) => {
      const refusal = {
        status: 400,
        body: { result: 'ERROR', code: 'invalid_paying_user', errors: [{ field: 'payinguser' }] },
      };
      await change(some);
      expect(await set({ payinguser })).toMatchObject(refusal);
      expect(await change({ payinguser, sender: 'Changed' })).toMatchObject(refusal);
      expect((await change({})).body).toEqual(someAnswer);
    },
  );

  test('[E2S-4] [CONV-6] The id of a paying user may also be given as a number', async () => {
    expect((await change({ payinguser: 502 })).body).toMatchObject({ payinguserName: 'plain' });
    expect((await set({ payinguser: 501 })).body).toMatchObject({ payinguserName: 'payer' });
    expect(await set({ payinguser: 900 })).toMatchObject({
      status: 400,
      body: { code: 'invalid_paying_user' },
    });
  });

  test('[E2S-4] A default paying user who has become inactive is refused by name when an entry is set', async () => {
    await change({ payinguser: 'plain' });
    const { stderr, exitCode } = await app.apply(
      emailProvisioning.replace('plain, id: 502,', 'plain, id: 502, active: false,'),
    );
    expect(exitCode, stderr).toBe(0);
    expect(await set({})).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_paying_user',
        error: expect.stringMatching(/^The default paying user .*plain.* is not active/),
      },
    });
    expect((await set({ payinguser: 'payer' })).status).toBe(200);
    expect((await change({ sender: 'Care' })).status).toBe(200);
    await app.apply(emailProvisioning);
  });

  test('[E2S-3] An e-mail entry may use splitCallback only if its paying user, given or by default, has SMTPSPLIT', async () => {
    const refusal = {
      status: 400,
      body: {
        result: 'ERROR',
        code: 'smtp_split_missing',
        error: expect.stringContaining('plain'),
        errors: [{ field: 'splitCallback' }],
      },
    };
    expect(await set({ payinguser: 'plain', splitCallback: true })).toMatchObject(refusal);
    expect((await set({ payinguser: 'payer', splitCallback: true })).status).toBe(200);
    // The same setting, as a default of the company.
    expect((await change({ splitCallback: true })).status).toBe(200);
    const byDefault = await set({ payinguser: 'plain' });
    expect(byDefault).toMatchObject(refusal);
    expect(byDefault.body.error).toContain('default of the company');
    expect((await set({ payinguser: 'plain', splitCallback: false })).status).toBe(200);
    expect((await set({ payinguser: 'payer' })).body).toMatchObject({ splitCallback: true });
    // Defaults that no entry could have are refused at once.
    expect(await change({ payinguser: 'plain' })).toMatchObject(refusal);
    expect((await change({ payinguser: 'plain', splitCallback: false })).status).toBe(200);
    expect(await change({ splitCallback: true })).toMatchObject(refusal);
    expect((await change({})).body).toMatchObject({ payinguserName: 'plain', splitCallback: false });
  });

  test('[E2S-3] [RUN-3] The provisioning file and the API set the same e-mail defaults', async () => {
    await change({ sender: 'Called', maxSms: 5 });
    const file = emailProvisioning.replace(
      '    users:\n',
      '    emailDefaults: { payinguser: payer, sender: Filed }\n    emailSenders: [{ email: file@care.example }]\n    users:\n',
    );
    const applied = await app.apply(file);
    expect(applied).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('evilcare.example') });
    expect(applied.stdout).toContain(
      '~ e-mail defaults of Nordic Care: payinguser none -> payer, sender Called -> Filed\n',
    );
    expect(applied.stdout).toContain(
      '+ e-mail sender file@care.example in Nordic Care: payinguser payer, sender Filed, maxSms 5',
    );
    expect((await app.apply(file)).stdout).toBe('no changes\n');
    expect((await change({ sender: 'Called' })).body).toMatchObject({ payinguserName: 'payer', maxSms: 5 });
    const unset = await app
      .as(companyAdmin)
      .post('/restsms/svcrest/emailtosms/unset', { email: 'file@care.example' });
    expect(unset.status).toBe(200);
    expect((await app.apply(emailProvisioning)).stdout).toBe('no changes\n');
    expect((await change({})).body).toMatchObject({ sender: 'Called' });
  });
});
