/** The other half of the crash trial's traffic: readers of statuses and of incoming SMS, phones, and the operator. */
import { command } from '../../src/app/control.ts';
import type { IncomingRecord } from '../../src/messages/incoming/incoming.ts';
import { incomingPath, type StatusItem, statusPath } from '../harness/messaging.ts';
import { ownNumber } from './accounts.ts';
import { type Actor, ask, repeat, type Scene } from './client.ts';
import { between } from './random.ts';

const page = 40;

function see({ witness }: Scene, items: readonly StatusItem[]): void {
  for (const { id, statuscode } of items) witness.statusesSeen.add(`${id} ${statuscode}`);
}

/** Reads what is unread and marks it. A status that was answered once must not come again unless it has changed. */
export async function takeStatuses(scene: Scene, maxnum = page): Promise<number> {
  const { witness } = scene;
  const answer = await ask(scene, 'rita', statusPath, { maxnum });
  if (answer === undefined) {
    witness.mayBeMarkedUnseen.statuses += maxnum;
    return 0;
  }
  const statuses: readonly StatusItem[] = answer.body.statuses;
  for (const { id, statuscode } of statuses) {
    const taken = `${id} ${statuscode}`;
    if (witness.statusesTaken.has(taken)) witness.blame('what was read is not unread again', taken);
    witness.statusesTaken.add(taken);
  }
  see(scene, statuses);
  return statuses.length;
}

const statusReader: Actor = (scene) => repeat(scene, [10, 60], () => takeStatuses(scene));

/** Reads first without marking: everything stays unread until the same ids are requested again, to mark them. */
const carefulReader: Actor = (scene) =>
  repeat(scene, [40, 150], async () => {
    const seen = await ask(scene, 'rita', statusPath, { maxnum: 10, markasread: false });
    if (seen === undefined) return;
    see(scene, seen.body.statuses);
    const id = (seen.body.statuses as readonly StatusItem[]).map((item) => item.id);
    if (id.length === 0) return;
    const marked = await ask(scene, 'rita', statusPath, { id });
    if (marked === undefined) scene.witness.mayBeMarkedUnseen.statuses += id.length;
    else see(scene, marked.body.statuses);
  });

export async function takeIncoming(scene: Scene, maxnum = page): Promise<number> {
  const { witness, random } = scene;
  const answer = await ask(scene, 'rita', incomingPath, { maxnum, latest: random() < 0.5 });
  if (answer === undefined) {
    witness.mayBeMarkedUnseen.incoming += maxnum;
    return 0;
  }
  const records: readonly IncomingRecord[] = answer.body.incoming;
  for (const { id } of records) {
    if (witness.incomingTaken.has(id)) witness.blame('an incoming SMS that was read is not unread again', id);
    witness.incomingTaken.add(id);
  }
  return records.length;
}

const incomingReader: Actor = (scene) => repeat(scene, [30, 150], () => takeIncoming(scene, 5));

/** Uses the socket of `carillon simulate incoming`, without starting a process for each SMS. */
const phones: Actor = (scene) =>
  repeat(scene, [10, 60], async () => {
    const from = `4670${between(scene.random, 1_000_000, 9_999_999)}`;
    const sms = { to: ownNumber, from, text: 'Yes, I can come.' };
    const folder = scene.app.env.CARILLON_DATA as string;
    const stored = await command(folder, 'simulate-incoming', sms).catch(() => undefined);
    if (stored?.id !== undefined) scene.witness.incomingStored.add(String(stored.id));
  });

/** Uses the command, in a separate process beside the server. */
const operator: Actor = (scene) =>
  repeat(scene, [100, 400], async () => {
    const { witness, random, app } = scene;
    // Cancels either a random message, for which it may be too late, or the latest, for which the command still has time.
    const index = random() < 0.5 ? Math.floor(random() * witness.cancellable.length) : -1;
    const [id] = witness.cancellable.splice(index, 1);
    if (id === undefined) return;
    witness.cancelTried.add(id);
    const from = performance.now();
    const { exitCode, stdout } = await app.run('message', 'cancel', id);
    witness.cancelTakesMs = performance.now() - from;
    const [, status] = /is (CANCELED|DELETED)\./.exec(stdout) ?? [];
    if (exitCode === 0 && status !== undefined) witness.cancelled.set(id, status);
  });

export const reading: readonly Actor[] = [
  statusReader,
  statusReader,
  carefulReader,
  incomingReader,
  incomingReader,
  phones,
  operator,
];
