/** Tests incoming SMS of several parts, as an operator's simulator sends them and a user reads them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command } from '../../src/app/control.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { acceptedOf, incomingPath, recipient, sendPath, storedOf } from '../harness/messaging.ts';

const [rented, pool, phone] = ['46731230001', '46731239001', recipient(1)];
const provisioning = `${standardProvisioning}  - { number: "${pool}", pool: true }\n`;

describe('incoming SMS of several parts', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  /** Runs the operator's command. */
  const simulate = (text: string, part: string, reference: number) =>
    app.run(
      ...['simulate', 'incoming', '--to', rented, '--from', phone, '--text', text],
      ...['--part', part, '--reference', String(reference)],
    );
  /** Makes the call that the command makes to the server. */
  const arrive = (text: string, [part, parts]: readonly [number, number], reference: number, to = rented) =>
    command(app.env.CARILLON_DATA as string, 'simulate-incoming', {
      to,
      from: phone,
      text,
      concatenation: { part, parts, reference },
    });
  const unread = async () =>
    (await app.as(alice).post(incomingPath, { getoriginal: true })).body.incoming as { message: string }[];

  test('[INC-4] Parts of an incoming SMS survive a crash, and become one SMS when the last has come', async () => {
    const first = await simulate('world', '2/3', 200);
    expect(first.stdout).toMatch(
      /^The part is stored by server process \d+; incoming SMS \d+ waits for its other parts\.$/m,
    );
    await app.kill();
    await app.restart();
    await arrive('!', [3, 3], 200);
    expect(await unread()).toEqual([]);
    const last = await simulate('Hello ', '1/3', 200);
    expect(last.stdout).toMatch(
      /^Incoming SMS \d+ is stored by server process \d+, for the user it belongs to\.$/m,
    );
    await arrive('!', [3, 3], 200);
    expect((await unread()).map(({ message }) => message)).toEqual(['Hello world!']);
    expect(await unread()).toEqual([]);
  });

  test('[INC-4] [INC-2] An answer in several parts reaches the user who asked', async () => {
    const sent = await app.as(alice).post(sendPath, {
      to: [phone],
      message: 'Can you come?',
      twoway: true,
      conversation: 'shift 7',
    });
    expect(await storedOf(app, sent)).toMatchObject([{ sender: pool }]);
    await arrive('but late', [2, 2], 7, pool);
    await arrive('Yes, ', [1, 2], 7, pool);
    const original = {
      conversation: 'shift 7',
      resptoid: acceptedOf(sent)[0]?.id,
      origmess: 'Can you come?',
    };
    expect(await unread()).toMatchObject([{ message: 'Yes, but late', to: pool, from: phone, ...original }]);
  });

  test('[INC-4] The operator’s simulated incoming SMS needs a valid part number, and a wrong number is refused with an example', async () => {
    for (const part of ['3/2', '0/2', '1', '1/256']) {
      const { exitCode, stderr } = await simulate('x', part, 1);
      expect(exitCode, part).not.toBe(0);
      expect(stderr).toContain('such as 1/3');
    }
  });
});
