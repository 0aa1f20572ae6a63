/** Tests eight of the worst e-mails at the same time: other callers of the server are answered in between. */
import { expect, test } from 'vitest';
import { turnsDuring } from '../../../test/harness/linear-time.ts';
import { mailRoom } from '../../../test/harness/mail-room.ts';
import { rawMail } from '../../../test/harness/raw-mail.ts';
import { signed } from '../../../test/harness/signed-mail.ts';
import { SmtpClient } from '../../../test/harness/smtp-client.ts';
import { sqliteStore } from '../../../test/harness/stores.ts';
import { type TaskOwner, Turns } from '../../foundation/turns.ts';

const largest = 10 * 1024 * 1024;
function worst(frame: readonly string[], unit: string): Buffer {
  const header = ['From: Kari <kari@care.example>', 'To: 46701740699@sms.example', ...frame];
  return rawMail(header, Buffer.alloc(largest - 2_000, unit));
}

const html = ['Content-Type: text/html'];
const mails: readonly [name: string, octets: Buffer][] = [
  ['paragraphs', worst(html, '<p><p><p>\r\n')],
  ['bold signs', worst(html, '<b>x</b><b>x</b>\r\n')],
  ['tabs', worst([], `${'\t'.repeat(10_000)}x\r\n`)],
  ['labels', worst([], 'to:\r\n')],
  ['padding', worst(['Content-Transfer-Encoding: base64'], 'A=A=A=A=A=A=A=A=\r\n')],
  ['parts', worst(['Content-Type: multipart/mixed; boundary=b'], '--b\r\na:b\r\n\r\nHi\r\n')],
  ['delimiters', worst(['Content-Type: multipart/mixed; boundary=b'], '--\r\n')],
  ['UTF-7', worst(['Content-Type: text/plain; charset=utf-7'], '+AGE-+AGE-+AGE-\r\n')],
];

/** Counts the steps, between which others may have their turn. */
class CountedTurns extends Turns {
  readonly steps = new Map<Generator, number>();

  override run<Result>(
    owner: TaskOwner,
    work: Generator<unknown, Result>,
    isWanted?: () => boolean,
  ): Promise<Result> {
    return super.run(owner, this.#counted(work), isWanted);
  }

  *#counted<Result>(work: Generator<unknown, Result>): Generator<unknown, Result> {
    for (let count = 1; ; count += 1) {
      this.steps.set(work, count);
      const step = work.next();
      if (step.done) return step.value;
      yield step.value;
    }
  }
}

sqliteStore('of eight e-mails at once', (engine) => {
  const room = mailRoom(engine);

  test.each([
    ['of a trusted relay', true],
    ['of strangers, who have signed them', false],
  ])(
    '[MAIL-4] [DLV-8] Eight of the worst e-mails at the same time are each read in many small steps: %s',
    async (_name, isTrusted) => {
      const turns = new CountedTurns();
      const { port } = await room.start({ maxOctets: largest, isTrustedRelay: () => isTrusted, turns });
      const sent = isTrusted
        ? mails
        : await Promise.all(mails.map(async ([name, octets]) => [name, await signed(octets)] as const));
      const clients = await Promise.all(
        sent.map(async ([, octets]) => {
          const client = new SmtpClient(port);
          await client.begin();
          await client.command('MAIL FROM:<kari@care.example>');
          await client.command(`RCPT TO:<${room.to[0]}>`);
          await client.command('DATA');
          return { client, octets: Buffer.concat([octets, Buffer.from('\r\n.\r\n')]) };
        }),
      );
      const replies = clients.map(({ client, octets }) => {
        client.write(octets);
        return client.reply();
      });
      const codes = (await Promise.all(replies)).map(({ code }) => code);
      for (const { client } of clients) client.close();
      // They don't all fit at once.
      const read = codes.filter((code) => code === 250 || code === 554).length;
      expect(read).toBeGreaterThan(isTrusted ? 3 : 0);
      expect(codes.filter((code) => ![250, 451, 554].includes(code))).toEqual([]);
      const counts = [...turns.steps.values()];
      expect(counts.filter((count) => count > 4).length).toBeGreaterThanOrEqual(read);
      // The body of a signed e-mail is hashed in pieces, each of which waits for its turn.
      if (!isTrusted) expect(counts.length).toBeGreaterThan(100 * read);
    },
  );

  test('[MAIL-4] [DLV-8] Other work gets its turns while eight of the worst e-mails are verified and read', async () => {
    const { check } = await room.start({ maxOctets: largest });
    const sent = await Promise.all(mails.map(([, octets]) => signed(octets)));
    const { longestMs, totalMs } = await turnsDuring(() =>
      Promise.all(sent.map((octets) => check({ octets, to: room.to }))),
    );
    // A turn as long as half of one of the eight e-mails would be too long.
    expect(longestMs).toBeLessThan(totalMs / 16);
  });
});
