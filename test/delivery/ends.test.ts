import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statusNames } from '../../src/messages/message.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { allMessages, expectBooksInOrder, expectNothingTwice } from '../harness/delivery-books.ts';
import { HeldTime, type TimerRange } from '../harness/held-server-time.ts';
import { acceptedOf, query, sendOne, sendPath, statusesOf, whenAllAre } from '../harness/messaging.ts';

let app: WholeApp;
let time: HeldTime;

function serverWithout(timers: TimerRange): void {
  beforeAll(async () => {
    time = new HeldTime(timers);
    app = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning, env: time.env });
  });
  afterAll(async () => {
    await app?.close();
    time?.remove();
  });
}

describe('the path of a message, without the sweep that checks four times a second for what waits', () => {
  serverWithout([250, 250]);

  test('[DLV-1] A message to the simulator ends as its number says: 01 to 13, and DELIVERED for all others', async () => {
    const to = Array.from({ length: 100 }, (_, ending) => `467017406${String(ending).padStart(2, '0')}`);
    for (const message of ['One part', 'Three parts '.repeat(30)]) {
      const accepted = acceptedOf(await app.as(alice).post(sendPath, { to, message }));
      const wanted = new Map(
        accepted.map(({ id, to: recipient }) => {
          const ending = Number(recipient.slice(-2));
          return [id, statusNames[ending >= 1 && ending <= 13 ? ending : 2]];
        }),
      );
      await until(async () => {
        const statuses = await statusesOf(app.as(alice), [...wanted.keys()]);
        return statuses.every(({ id, status }) => status === wanted.get(id));
      }, 300_000);
    }
    // Numbers ending in 01 never get a receipt, so they stay SENT even after the messages sent alongside them have had
    // theirs.
    const messages = await allMessages(app);
    expect(messages.filter(({ status }) => status === 1)).toHaveLength(2);
    await expectNothingTwice(app, messages);
    await expectBooksInOrder(app, messages);
  });

  test('[DLV-1] A message is delivered without any step that waits for a timer', async () => {
    for (let count = 0; count < 5; count++) {
      const id = await sendOne(app.as(alice));
      await whenAllAre(app.as(alice), [id], 'DELIVERED');
    }
  });
});

const hourMs = 3_600_000;

describe('a message with a send time, at a server without timers of a second or more', () => {
  // The timer of the node's heartbeats still fires: without heartbeats the node would count as dead.
  serverWithout([1_000, 3_999]);
  /** How far the server's clock is ahead, in hours. */
  let hours = 0;
  const passHour = () => time.setClock(++hours * hourMs);

  const dueIn = (more: number) =>
    sendOne(app.as(alice), { scheduletime: new Date(Date.now() + (hours + more) * hourMs).toISOString() });

  const expectScheduled = async (...ids: readonly string[]) => {
    const statuses = await statusesOf(app.as(alice), ids);
    expect(statuses.map(({ status }) => status)).toEqual(ids.map(() => 'SCHEDULED'));
  };

  /** Waits until the message is delivered, and checks that it was not claimed before its time. */
  async function untilDelivered(id: string): Promise<void> {
    await whenAllAre(app.as(alice), [id], 'DELIVERED');
    // The claim time is recorded on the part that the carrier accepted.
    const [row] = await query(
      app,
      `SELECT messages.expires_at - 86400000 AS due, message_parts.changed_at AS sent FROM messages
       JOIN message_parts ON message_parts.company_id = messages.company_id AND message_parts.message_id = messages.id
       WHERE messages.id = ${id}`,
    );
    expect(Number(row?.sent)).toBeGreaterThanOrEqual(Number(row?.due));
  }

  test('[SEND-12] A scheduled message leaves within a second of its send time, not before, even across restarts and kills', async () => {
    const far = await dueIn(20);
    for (const end of [undefined, 'stop', 'kill'] as const) {
      const near = await dueIn(1);
      if (end !== undefined) {
        await app[end]();
        await app.restart();
      }
      await expectScheduled(near, far);
      passHour();
      await untilDelivered(near);
      await expectScheduled(far);
    }
  });

  test('[SEND-12] A message whose send time passes while the server is away leaves as soon as the server is back', async () => {
    const id = await dueIn(1);
    await app.kill();
    passHour();
    await app.restart();
    await untilDelivered(id);
  });
});
