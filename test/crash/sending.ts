/** The sending half of the crash trial: messages at once, scheduled, short-lived or limited by quota, and calls repeated by key. */
import { sendPath, singlePath } from '../harness/messaging.ts';
import { slowPrefix, type Username } from './accounts.ts';
import { type Actor, ask, repeat, type Scene } from './client.ts';
import { between, pick } from './random.ts';

const endings = ['20', '20', '20', '06', '11', '04'] as const;
const lengths = [20, 160, 459] as const;

let serial = 0;

function numbers(scene: Scene, count: number, prefix = '4670'): string[] {
  return Array.from({ length: count }, () => {
    serial += 1;
    return `${prefix}${String(serial % 1_000_000).padStart(6, '0')}${pick(scene.random, endings)}`;
  });
}

interface Call {
  readonly username: Username;
  readonly to: readonly string[];
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly dueAt?: number;
}

/** Sends, records the answer, and returns the ids that were accepted. */
async function send(scene: Scene, call: Call): Promise<readonly string[]> {
  const { username, to, parameters, dueAt } = call;
  serial += 1;
  const conversation = `call ${serial}`;
  const single = to.length === 1 && scene.random() < 0.2;
  const answer = await ask(scene, username, single ? singlePath : sendPath, {
    to: single ? to[0] : to,
    message: 'x'.repeat(pick(scene.random, lengths)),
    conversation,
    ...parameters,
    ...(dueAt === undefined ? {} : { scheduletime: new Date(dueAt).toISOString() }),
  });
  const request = { username, recipients: to.length };
  const { witness } = scene;
  if (answer?.status === 200) {
    witness.requests.set(conversation, { ...request, outcome: 'accepted' });
    return remember(scene, call, single ? [answer.body] : answer.body.accepted);
  }
  witness.requests.set(conversation, { ...request, outcome: answer === undefined ? 'unknown' : 'refused' });
  const hasQuota = answer?.body.code === 'quota_exceeded' && username === 'limited';
  if (answer !== undefined && !hasQuota) witness.blame('no answer is wrong', answer.text);
  return [];
}

function remember(
  { witness }: Scene,
  { username, dueAt }: Pick<Call, 'username' | 'dueAt'>,
  accepted: readonly { readonly id: string; readonly to: string }[],
): readonly string[] {
  for (const { id, to } of accepted) {
    if (witness.accepted.has(id)) witness.blame('no id is given twice', id);
    witness.accepted.set(id, { to, username, dueAt });
  }
  return accepted.map(({ id }) => id);
}

const senders: Actor = (scene) =>
  repeat(scene, [0, 12], () => {
    const count = scene.random() < 0.4 ? 1 : between(scene.random, 2, 8);
    return send(scene, { username: 'alice', to: numbers(scene, count) });
  });

/** Each message takes a lease in the transaction that accepts it. */
const asking: Actor = (scene) =>
  repeat(scene, [5, 40], () => {
    const to = numbers(scene, between(scene.random, 1, 8));
    return send(scene, { username: 'alice', to, parameters: { twoway: true } });
  });

/** Far enough ahead for the operator, whose command takes long on a slow machine. */
function timeToCancel({ random, settings, witness }: Scene): number {
  return Date.now() + between(random, 1_500, settings.latestScheduleMs) + 2 * witness.cancelTakesMs;
}

/** Soon uses up its quota; cancelled messages give some of it back. */
const limited: Actor = (scene) =>
  repeat(scene, [5, 60], async () => {
    const to = numbers(scene, between(scene.random, 1, 3));
    const later = scene.random() < 0.4;
    const dueAt = timeToCancel(scene);
    const ids = await send(scene, { username: 'limited', to, ...(later && { dueAt }) });
    if (later) scene.witness.cancellable.push(...ids);
  });

const scheduling: Actor = (scene) =>
  repeat(scene, [5, 40], async () => {
    const { random, settings, witness } = scene;
    const isToBeCancelled = random() < 0.1;
    const soon = Date.now() + between(random, 300, settings.latestScheduleMs);
    const dueAt = isToBeCancelled ? timeToCancel(scene) : soon;
    const ids = await send(scene, { username: 'sara', to: numbers(scene, between(random, 1, 3)), dueAt });
    if (isToBeCancelled) witness.cancellable.push(...ids);
  });

/** Sends more than the slow carrier takes, so about half of the messages expire. A minute is the shortest validity. */
export const shortLived: Actor = (scene) =>
  repeat(scene, [150, 700], () =>
    send(scene, {
      username: 'vera',
      to: numbers(scene, between(scene.random, 1, 2), slowPrefix),
      parameters: { validminutes: '1' },
    }),
  );

/**
 * Repeats a call until it is answered, and then now and again: each key must send only once, and always give the same
 * answer.
 */
const repeating: Actor = async (scene) => {
  const { witness, random } = scene;
  const answered: { key: string; body: object; text: string }[] = [];
  const post = (key: string, body: object) => ask(scene, 'ida', sendPath, body, { 'idempotency-key': key });
  await repeat(scene, [5, 40], async () => {
    const known = random() < 0.5 ? answered[Math.floor(random() * answered.length)] : undefined;
    if (known !== undefined) {
      const again = await post(known.key, known.body);
      witness.counts.repeated += again === undefined ? 0 : 1;
      if (again !== undefined && again.text !== known.text)
        witness.blame('a repeated key gets the first answer', `${known.key}: ${again.text}`);
      return;
    }
    serial += 1;
    const key = `key ${serial}`;
    const to = numbers(scene, between(random, 1, 4));
    const body = { to, message: 'Once only', conversation: key };
    let answer = await post(key, body);
    while (answer === undefined && scene.goesOn()) answer = await post(key, body);
    const outcome = answer === undefined ? 'unknown' : 'accepted';
    witness.requests.set(key, { username: 'ida', recipients: to.length, outcome });
    if (answer === undefined) return;
    if (answer.status !== 200) return witness.blame('no answer is wrong', answer.text);
    remember(scene, { username: 'ida' }, answer.body.accepted);
    answered.push({ key, body, text: answer.text });
  });
};

/** Sends as a user whose statuses several readers read meanwhile. */
const watched: Actor = (scene) =>
  repeat(scene, [20, 80], () =>
    send(scene, { username: 'rita', to: numbers(scene, between(scene.random, 1, 5)) }),
  );

export const sending: readonly Actor[] = [
  ...Array.from({ length: 6 }, () => senders),
  asking,
  asking,
  limited,
  scheduling,
  scheduling,
  repeating,
  repeating,
  watched,
];
