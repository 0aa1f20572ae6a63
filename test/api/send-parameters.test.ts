/** Tests every parameter of `/send`, by GET and by POST, and what the call leaves in the store. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../harness/api-client.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { recipient, type StoredMessage, sendPath, storedMessages, storedOf } from '../harness/messaging.ts';

const [one, two] = [recipient(1), recipient(2)];
const provisioning = standardProvisioning.replace(
  `{ username: alice,`,
  `{ username: alice, replaceCharacters: true,`,
);

interface Case {
  readonly json: Readonly<Record<string, unknown>>;
  readonly url: string;
  readonly stored: Partial<StoredMessage>;
}

/** Parameters in addition to the recipient and text that every case has. */
const cases: Readonly<Record<string, Case>> = {
  from: { json: { from: 'Clinic' }, url: 'F=Clinic', stored: { sender: 'Clinic' } },
  conversation: {
    json: { conversation: 'ärende 7+8' },
    url: 'X=%C3%A4rende+7%2B8',
    stored: { conversation: 'ärende 7+8' },
  },
  costcenter: { json: { costcenter: 'Ward 12' }, url: 'C=Ward%2012', stored: { costCenter: 'Ward 12' } },
  flash: { json: { flash: true }, url: 'Z=T', stored: { flash: true } },
  'flash, false': { json: { flash: false }, url: 'Z=F', stored: { flash: false } },
  twoway: { json: { twoway: false }, url: '2=F', stored: { sender: 'NordicCare' } },
  templateid: { json: { templateid: '' }, url: 'TPID=', stored: { text: 'Hello' } },
  onlytemplateplaceholders: {
    json: { onlytemplateplaceholders: false },
    url: 'TPONLY=NO',
    stored: { text: 'Hello' },
  },
  replacecharacters: {
    json: { replacecharacters: true, message: 'Tack\u00a0– “hej”' },
    url: 'R=YES&M8=Tack%C2%A0%E2%80%93+%E2%80%9Chej%E2%80%9D',
    stored: { text: 'Tack - "hej"' },
  },
  checknumber: { json: { checknumber: true }, url: 'check=TRUE', stored: { recipient: one } },
};

describe('/send', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const post = (body: object) => app.as(alice).post(sendPath, { to: [one], message: 'Hello', ...body });
  /** Adds `M8` unless the query has a text. */
  const get = (query: string) =>
    app.as(alice).get(sendPath, `T=${one}&${/(^|&)M8?=/.test(query) ? '' : 'M8=Hello&'}${query}`);
  const only = async (answer: Answer) => (await storedOf(app, answer))[0] as StoredMessage;

  describe.each(Object.entries(cases))('%s', (_, { json, url, stored }) => {
    test('[SEND-1] [CONV-2] Each parameter of /send takes effect by POST', async () => {
      expect(await only(await post(json))).toMatchObject(stored);
    });
    test('[SEND-1] [CONV-2] Each parameter of /send takes effect by GET', async () => {
      expect(await only(await get(url))).toMatchObject(stored);
    });
  });

  test('[SEND-1] The response of /send gives each recipient’s id, and the number of parts only on request', async () => {
    const plain = await post({ to: [one, two] });
    expect(plain.body).toEqual({
      accepted: [
        { to: one, id: expect.stringMatching(/^[1-9][0-9]*$/) },
        { to: two, id: expect.stringMatching(/^[1-9][0-9]*$/) },
      ],
      rejected: [],
    });
    expect(plain.body.accepted[0].id).not.toBe(plain.body.accepted[1].id);
    const counted = { accepted: [{ to: one, id: expect.any(String), parts: '1' }], rejected: [] };
    expect((await post({ shownumberparts: true })).body).toEqual(counted);
    expect((await get('N=T')).body).toEqual(counted);
    expect((await get('N=F')).body.accepted).toEqual([{ to: one, id: expect.any(String) }]);
  });

  test('[SEND-1] [SEND-13] The validity in validminutes counts from the time of sending, and is 1440 minutes by default', async () => {
    const minutes = async (answer: Answer) => {
      const { createdAt, expiresAt } = await only(answer);
      return (expiresAt - createdAt) / 60_000;
    };
    expect(await minutes(await post({}))).toBe(1_440);
    expect(await minutes(await post({ validminutes: '5' }))).toBe(5);
    expect(await minutes(await post({ validminutes: 10_080 }))).toBe(10_080);
    expect(await minutes(await get('V=1'))).toBe(1);
    for (const wrong of ['0', '10081', '1.5', '-1', 'x', 1.5, true]) {
      const field = { field: 'validminutes' };
      expect(await post({ validminutes: wrong })).toMatchObject({ status: 400, body: { errors: [field] } });
    }
    expect(await get('V=10081')).toMatchObject({ status: 400, body: { code: 'invalid_value' } });
  });

  test('[SEND-1] [SEND-2] The defaultcountrycode takes the place of a single leading zero', async () => {
    const byPost = await post({ to: ['0731234567'], defaultcountrycode: '46' });
    expect(byPost.body).toMatchObject({ accepted: [{ to: '46731234567' }], rejected: [] });
    const byNumber = await post({ to: ['0731234567'], defaultcountrycode: 47 });
    expect(byNumber.body.accepted[0].to).toBe('47731234567');
    const byGet = await app.as(alice).get(sendPath, 'T=0731234567&M8=Hello&D=358');
    expect(byGet.body.accepted[0].to).toBe('358731234567');
    for (const wrong of ['+46', '0046', '46731', 'SE', '0', '046']) {
      const answer = await post({ to: ['0731234567'], defaultcountrycode: wrong });
      expect(answer, wrong).toMatchObject({ status: 400 });
    }
  });

  test('[CONV-4] The text in M is ISO-8859-1 and in M8 UTF-8, with + as a space', async () => {
    const text = 'Blåbär + café, 100 % §';
    expect((await only(await get('M=Bl%E5b%E4r+%2B+caf%e9,%20100+%25+%A7'))).text).toBe(text);
    expect((await only(await get('M8=Bl%C3%A5b%C3%A4r+%2B+caf%C3%A9,%20100+%25+%C2%A7'))).text).toBe(text);
    expect((await only(await get('M=%C3%A5'))).text).toBe('Ã¥');
    expect((await only(await post({ message: text }))).text).toBe(text);
    expect((await only(await get('M8=%E2%82%AC+%F0%9F%98%80'))).text).toBe('€ 😀');
  });

  test('[CONV-4] Broken escapes in a URL and bytes that are not UTF-8 are refused', async () => {
    for (const broken of ['M8=%E5', 'M8=100%', 'M8=%zz', 'M8=%F0%9F', 'M8=%C0%80', 'M=100%', 'M=%4']) {
      expect(await get(broken), broken).toMatchObject({ status: 400, body: { code: 'bad_encoding' } });
    }
    expect(await get('X=%E5')).toMatchObject({ status: 400, body: { errors: [{ field: 'X' }] } });
  });

  test('[SEND-9] A call of /send may have M or M8, but not both', async () => {
    expect(await get('M=a&M8=b')).toMatchObject({ status: 400, body: { code: 'conflicting_parameters' } });
    expect((await only(await get('M=&M8=b'))).text).toBe('b');
    expect((await only(await get('M=a&M8='))).text).toBe('a');
  });

  test('[SEND-9] A call without a recipient or without a text is refused, and nothing is sent', async () => {
    const before = (await storedMessages(app)).length;
    for (const to of [[], null, '', undefined]) {
      expect(await post({ to })).toMatchObject({ status: 400, body: { code: 'no_recipients' } });
    }
    for (const message of ['', null, undefined, '\u0007\ufeff']) {
      expect(await post({ message })).toMatchObject({ status: 400, body: { code: 'no_text' } });
    }
    expect(await app.as(alice).get(sendPath, 'M8=Hello')).toMatchObject({ status: 400 });
    expect(await app.as(alice).get(sendPath, `T=${one}`)).toMatchObject({ status: 400 });
    expect(await app.as(alice).get(sendPath, 'T=,+,&M8=Hello')).toMatchObject({ status: 400 });
    expect(await app.as(alice).post(sendPath)).toMatchObject({ status: 400 });
    expect((await storedMessages(app)).length).toBe(before);
  });

  test('[CONV-6] A parameter that is null or the empty string counts as not given', async () => {
    const nothing = Object.fromEntries(
      ['tosubst', 'from', 'conversation', 'costcenter', 'flash', 'validminutes', 'shownumberparts']
        .concat(['defaultcountrycode', 'replacecharacters', 'scheduletime', 'checknumber', 'twoway'])
        .concat(['templateid', 'onlytemplateplaceholders', 'toaddressbookcustomtagfilter'])
        .concat(['toaddressbooktagfilterjson', 'toaddressbooksavedtagfilters', 'toaddressbookgroups'])
        .map((name) => [name, name.length % 2 === 0 ? null : '']),
    );
    expect(await only(await post(nothing))).toMatchObject({ text: 'Hello', sender: 'NordicCare' });
    const empty = 'TS=&H=&F=&X=&C=&Z=&V=&N=&D=&R=&AT=&check=&2=&TPID=&TPONLY=&A=&S=&G=';
    expect(await only(await get(empty))).toMatchObject({ text: 'Hello', sender: 'NordicCare' });
  });

  test('[CONV-5] Booleans in a URL are words in any letter case, and those in JSON are true and false', async () => {
    for (const word of ['T', 'true', 'Y', 'yEs']) {
      expect((await get(`N=${word}`)).body.accepted[0].parts, word).toBe('1');
    }
    for (const word of ['F', 'FALSE', 'n', 'No']) {
      expect((await get(`N=${word}`)).body.accepted[0], word).not.toHaveProperty('parts');
    }
    for (const word of ['1', '0', 'on', 'ja', 'TRUE+', 'null']) {
      expect(await get(`N=${word}`), word).toMatchObject({ status: 400, body: { code: 'invalid_value' } });
    }
    for (const json of ['true', 'T', 1, 0, [], {}]) {
      const answer = await post({ shownumberparts: json });
      expect(answer, JSON.stringify(json)).toMatchObject({ status: 400, body: { code: 'invalid_type' } });
    }
  });

  test('[CONV-7] /send ignores unknown parameters, refuses a scalar given twice, and joins a list given twice', async () => {
    expect((await post({ colour: 'red', T: two })).body.accepted).toHaveLength(1);
    expect((await get(`colour=red&colour=%zz&size=${two}`)).body.accepted).toHaveLength(1);
    expect(await get('F=A&F=B')).toMatchObject({ status: 400, body: { code: 'duplicate_parameter' } });
    expect((await get(`T=${two}`)).body.accepted.map(({ to }: { to: string }) => to)).toEqual([one, two]);
  });

  test('[CONV-7] Lists of numbers in a URL split at raw and at encoded commas, and empty items are dropped', async () => {
    for (const list of [`${one},${two}`, `${one}%2C${two}`, `,+${one}+,,%20${two}%2c`]) {
      const { body } = await app.as(alice).get(sendPath, `T=${list}&M8=Hello`);
      expect(
        body.accepted?.map(({ to }: { to: string }) => to),
        list,
      ).toEqual([one, two]);
    }
  });

  test('[CONV-6] Recipients may be JSON numbers, but not a single string in place of the list', async () => {
    expect((await post({ to: [Number(one), two] })).body.accepted).toHaveLength(2);
    expect(await post({ to: one })).toMatchObject({ status: 400, body: { errors: [{ field: 'to' }] } });
    expect(await post({ to: [one, null, {}, -1, 1.5] })).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_type',
        errors: [{ field: 'to[1]' }, { field: 'to[2]' }, { field: 'to[3]' }, { field: 'to[4]' }],
      },
    });
  });
});
