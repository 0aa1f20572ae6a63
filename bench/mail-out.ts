/** Claim: the outbox sends mail at no less than half the speed of the SMTP library alone. */
import { createTransport } from 'nodemailer';
import type { OutgoingMail } from '../src/email/outgoing/outgoing-mail.ts';
import { composeMail } from '../src/email/outgoing/relay.ts';
import { openDirectly } from './database.ts';
import { startMailSink } from './mail-sink-process.ts';
import { type Figure, medianOf, pause, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { runWhenMain } from './run.ts';
import { startServer } from './server.ts';

const connections = 4;
/** The same concurrency as the outbox. */
const underWay = 16;
const lookEveryMs = 20;

export async function mailOut(options: Options): Promise<Report> {
  const { quick, rounds = quick ? 1 : 3 } = options;
  const count = quick ? 2_000 : 10_000;
  const figures: Figure[] = [];
  for (const engine of options.engines) {
    const measured: { readonly alone: number; readonly outbox: number }[] = [];
    for (let round = 0; round < rounds; round++)
      measured.push({ alone: await sendAlone(count), outbox: await sendFromOutbox(engine, count) });
    const figure = (what: string, unit: string, of: (round: (typeof measured)[number]) => number) =>
      [measured.map(of), { engine, what, unit }] as const;
    figures.push(
      medianOf(...figure('nodemailer alone', 'e-mails/s', ({ alone }) => alone)),
      medianOf(...figure('from the outbox', 'e-mails/s', ({ outbox }) => outbox)),
      medianOf(
        ...figure('from the outbox, relative to nodemailer alone', '', ({ alone, outbox }) => outbox / alone),
        { atLeast: 0.5 },
      ),
    );
  }
  return { name: 'mail-out', claim, method: method(count), figures };
}

const claim = 'The durable outbox sends mail at no less than half the speed of nodemailer alone.';

function method(count: number): readonly string[] {
  return [
    `${count.toLocaleString('en')} e-mails in the form of answers, plain and HTML, to a relay in a process of its own on this machine that accepts all of them. Both ways of sending take turns, so that they see the same machine.`,
    `Alone: nodemailer's pool with ${connections} connections, ${underWay} e-mails under way. The outbox: a whole server with the e-mails in its store, timed from the first e-mail that the relay gets to the last.`,
  ];
}

function mail(place: number): OutgoingMail {
  const text = 'On my way, there in ten minutes.\n\nReply by SMS from +46701740699, 2026-11-23 07:02 UTC.\n';
  return {
    messageId: `<answer.${place}.mail-0@sms.example>`,
    companyId: 1,
    kind: 'answer',
    content: {
      from: { name: '+46701740699', address: '46701740699@sms.example' },
      to: { name: '', address: `ward${place}@care.example` },
      subject: 'Re: Night shift',
      text,
      html: `<p>${text}</p>`,
      references: ['<shift.7@care.example>'],
      autoSubmitted: 'auto-replied' as const,
    },
  };
}

async function sendAlone(count: number): Promise<number> {
  const sink = await startMailSink();
  const transport = createTransport({
    pool: true,
    host: '127.0.0.1',
    port: sink.port,
    ignoreTLS: true,
    maxConnections: connections,
    maxMessages: 100,
  });
  let next = 0;
  const send = async () => {
    while (next < count) {
      const composed = composeMail(mail(next++), new Date());
      if (composed.ok) await transport.sendMail(composed.value);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: underWay }, send));
  const seconds = (performance.now() - startedAt) / 1_000;
  transport.close();
  sink.child.kill();
  return count / seconds;
}

async function sendFromOutbox(engine: Engine, count: number): Promise<number> {
  const sink = await startMailSink();
  const server = await startServer({ engine, relay: `smtp://127.0.0.1:${sink.port}` });
  const database = await openDirectly(server);
  try {
    await database.insert(
      'outgoing_mails',
      columns,
      Array.from({ length: count }, (_, place) => rowOf(place)),
    );
    while ((await sink.count()) === 0) await pause(1);
    const startedAt = performance.now();
    while ((await sink.count()) < count) await pause(lookEveryMs);
    return count / ((performance.now() - startedAt) / 1_000);
  } finally {
    await database.close();
    await server.close();
    sink.child.kill();
  }
}

const columns = {
  message_id: 'text',
  company_id: 'bigint',
  kind: 'smallint',
  content: 'text',
  queued_at: 'bigint',
  due_at: 'bigint',
  give_up_at: 'bigint',
  tries: 'integer',
} as const;

function rowOf(place: number) {
  const { messageId, companyId, content } = mail(place);
  const now = Date.now();
  return [messageId, companyId, 1, JSON.stringify(content), now, now, now + 86_400_000, 0];
}

await runWhenMain(import.meta, mailOut);
