/** System users in a provisioning file, who own jobs, and where they are notified of the jobs' events. */
import {
  createSystemUsers,
  removeSystemUsers,
  type SystemUserRecord,
  systemUserRecords,
} from '../../accounts/system-user-records.ts';
import { type OptionalJobEvent, optionalJobEvents, placeOfCallbackSecret } from '../../webhooks/endpoint.ts';
import {
  type CallbackRecord,
  putCallbacks,
  readCallbacks,
  removeCallbacks,
} from '../../webhooks/endpoint-records.ts';
import { explicitList, needed, object, oneOfWords, optional, type Read } from '../../yaml/fields.ts';
import { callbackUrl, givenId, remove, username, webhookSecret } from '../objects/fields.ts';
import { type Kind, keeping, namedIn } from '../objects/kind.ts';
import { lines } from '../objects/line.ts';
import { faultAt, type Planned, planned } from '../objects/planned.ts';

interface SystemUserState extends SystemUserRecord {
  readonly callback: CallbackRecord | undefined;
}

interface SystemUserPlan extends Planned, SystemUserState {}

const callbackFields = object({
  type: needed(oneOfWords(['NONE', 'POST']), 'NONE'),
  url: optional(callbackUrl, undefined),
  secret: optional(webhookSecret, undefined),
  events: optional(explicitList(oneOfWords<OptionalJobEvent>(optionalJobEvents), 'none'), []),
});

/** If `value` is undefined, nothing is posted. */
const callback: Read<{ readonly value: CallbackRecord | undefined }> = (tree, faults) => {
  const read = callbackFields(tree, faults);
  if (read === undefined) return undefined;
  const { type, url, secret, place } = read;
  const asked: readonly OptionalJobEvent[] = read.events;
  if (type === 'NONE') return { value: undefined };
  if (!('url' in read.fieldPlaces))
    faults.push({ place, sentence: 'needs a key "url" with the address to post to' });
  const events = optionalJobEvents.filter((name) => asked.includes(name));
  return { value: { url: url ?? '', secret, events } };
};

const fields = planned({
  username: needed(username, ''),
  id: optional(givenId, undefined),
  callback: optional(callback, undefined),
  remove,
});

export const systemUsers: Kind<SystemUserPlan, SystemUserState> = {
  section: 'systemUsers',
  within: 'company',
  noun: 'this system user',
  read: (tree, faults) => {
    const read = fields(tree, faults);
    return read && { ...read, callback: read.callback?.value };
  },
  keyField: 'username',
  keyOf: ({ username }) => username,
  ids: { noun: 'system user', retired: 'systemUser' },
  async load(reading, scope) {
    const { keys, ids } = namedIn(scope, 'systemUsers');
    const { removed } = namedIn(scope, 'companies');
    const found = await systemUserRecords.read(reading, { username: keys, id: ids, company: removed });
    const callbacks = await readCallbacks(
      reading,
      found.flatMap(({ id }) => id ?? []),
    );
    return found.map((user) => ({ ...user, callback: callbacks.get(user.id ?? 0) }));
  },
  after: ({ id, username, company, callback }, before, _, keeps) =>
    keeping({ id: before?.id ?? id, username, company, callback }, before, keeps),
  describe: lines(({ username, company }) => `system user ${username} in ${company}`, {
    as: ({ callback, ...user }) => ({
      ...user,
      callback: callback && [callback.url, ...callback.events].join(' '),
      callbackSecret: callback?.secret,
    }),
    keys: ['username', 'company'],
  }),
  faultsOf(asked, view) {
    const owner = view.before(systemUsers).get(asked.username)?.company ?? asked.company;
    if (owner === asked.company) return [];
    const sentence = `the system user ${asked.username} belongs to the company ${owner}; their names are unique in the whole service`;
    return [faultAt(asked, 'username', sentence)];
  },
  async protect(asked, before, { sealing }) {
    const { username, callback } = asked;
    if (callback?.secret === undefined) return asked;
    const place = placeOfCallbackSecret(username);
    const secret = sealing.seal(callback.secret, place, before?.callback?.secret);
    return { ...asked, callback: { ...callback, secret } };
  },
  async create(transaction, created) {
    await createSystemUsers(transaction, created);
    await putCallbacks(transaction, created);
  },
  change: putCallbacks,
  async remove(transaction, removed) {
    await removeCallbacks(
      transaction,
      removed.map(({ username }) => username),
    );
    await removeSystemUsers(transaction, removed);
  },
  news: ['webhooks'],
};
