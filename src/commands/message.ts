/** `carillon message`: what became of one message, and taking it back. */
import { Command } from 'commander';
import { instant, printTable } from './table.ts';

export function messageCommand(): Command {
  const message = new Command('message').description('show a message, or cancel it before a carrier has it');
  message.argument('[id]', 'the id that sending answered with').action(show);
  message
    .command('cancel <id>')
    .description('cancel a scheduled or queued message; its quota comes back')
    .action(cancel);
  return message;
}

async function show(id: string | undefined): Promise<void> {
  const [{ readConfig }, { withStore }, { inspectMessage }, { parseMessageId, statusNames }, { StartError }] =
    await Promise.all([
      import('../config.ts'),
      import('../open-store.ts'),
      import('../messages/inspect-store.ts'),
      import('../messages/message.ts'),
      import('../foundation/errors.ts'),
    ]);
  if (id === undefined) throw new StartError('Give the id of a message: carillon message ID');
  await withStore(readConfig(process.env), async (store) => {
    const messageId = parseMessageId(id);
    const message = messageId === undefined ? null : await store.read(inspectMessage, messageId);
    if (message === null) throw new StartError(`There is no message ${id}.`);
    const lines: readonly (readonly [string, string])[] = [
      ['message', String(message.id)],
      ['of', `${message.username} (${message.company})`],
      ['to', message.recipient],
      ['from', message.sender],
      ['carrier', message.carrier],
      ['accepted', instant(message.createdAt)],
      ['expires', instant(message.expiresAt)],
      ['status', `${statusNames[message.status]} since ${instant(message.changedAt)}`],
      ['attempts', String(message.attempts)],
      ['in doubt', message.inDoubt === 1 ? 'yes: it may have been sent twice' : 'no'],
      ['reason', message.reason ?? ''],
    ];
    for (const [name, value] of lines) console.log(`${name.padEnd(10)}${value}`.trimEnd());
    if (message.refusals.length > 0) {
      console.log();
      printTable(
        ['PASSED ON BY', 'AT', 'REASON'],
        message.refusals.map(({ carrier, refusedAt, reason }) => [carrier, instant(refusedAt), reason]),
      );
    }
    if (message.taken.length === 0) return;
    console.log();
    printTable(
      ['PART', "CARRIER'S ID", 'ERROR'],
      message.taken.map((part) => [
        `${part.part}/${message.parts}`,
        part.carrierMessageId,
        part.errorCode ?? '',
      ]),
    );
  });
}

async function cancel(id: string): Promise<void> {
  const [{ readConfig }, { withStore }, { systemClock }, messages] = await Promise.all([
    import('../config.ts'),
    import('../open-store.ts'),
    import('../foundation/clock.ts'),
    import('../messages/cancel.ts'),
  ]);
  await withStore(readConfig(process.env), async (store) => {
    console.log(`Message ${id} is ${await messages.cancel(store, systemClock, id)}.`);
  });
}
