/**
 * Webhooks of a company in a provisioning file: where the company, or one of its users, is notified of events, and of which.
 */
import { parseBatchId } from '../../batches/batch.ts';
import { statusNames } from '../../messages/message.ts';
import { maxReferenceLength } from '../../messages/sending/parameters.ts';
import { withoutAbsent } from '../../storage/stored-record.ts';
import {
  contradictionsIn,
  eventTypes,
  maxSecrets,
  maxWebhooks,
  placeOfSecret,
  subscribable,
  type WebhookFilter,
  webhookKeyOf,
} from '../../webhooks/endpoint.ts';
import {
  changeWebhooks,
  createWebhooks,
  entryOfEdit,
  readWebhooks,
  removeWebhooks,
  type WebhookRecord,
} from '../../webhooks/endpoint-records.ts';
import type { Fault } from '../../yaml/fault.ts';
import {
  explicitList,
  flag,
  needed,
  object,
  oneOfWords,
  optional,
  plainText,
  type Read,
  text,
} from '../../yaml/fields.ts';
import { callbackUrl, name, remove, username, webhookSecret } from '../objects/fields.ts';
import { type Kind, keeping, namedIn, type View } from '../objects/kind.ts';
import { lines } from '../objects/line.ts';
import { faultAt, type Planned, planned } from '../objects/planned.ts';
import { companies } from './companies.ts';
import { userRemovers, users } from './users.ts';

interface WebhookPlan extends Planned, WebhookRecord {}

const batchId = text((written) =>
  parseBatchId(written) === undefined ? { wrong: 'must be the id of a batch' } : { value: written },
);

const filterFields = object({
  statuses: optional(explicitList(oneOfWords(statusNames), 'all but QUEUED and SCHEDULED'), undefined),
  costCenter: optional(text(plainText(maxReferenceLength)), undefined),
  conversationPrefix: optional(text(plainText(maxReferenceLength)), undefined),
  batch: optional(batchId, undefined),
});

/** Statuses in the order of their codes; criteria that are not used are left out. */
const filter: Read<WebhookFilter> = (tree, faults) => {
  const read = filterFields(tree, faults);
  if (read === undefined) return undefined;
  const { statuses, costCenter, conversationPrefix, batch } = read;
  const inOrder = statuses && statusNames.filter((status) => statuses.includes(status));
  return withoutAbsent({ statuses: inOrder, costCenter, conversationPrefix, batch });
};

const webhookFields = planned(
  {
    id: needed(name, ''),
    url: optional(callbackUrl, ''),
    secrets: optional(explicitList(webhookSecret, 'none'), []),
    events: optional(explicitList(oneOfWords(subscribable), 'none'), []),
    filter: optional(filter, {}),
    user: optional(username, undefined),
    batch: optional(flag, false),
    text: optional(oneOfWords<'full' | 'none'>(['full', 'none']), 'none' as const),
    active: optional(flag, true),
    remove,
  },
  { needs: ['url', 'events'] },
);

/** A webhook to be removed needs only its id. */
const webhook: Read<Omit<WebhookPlan, 'company'>> = (tree, faults) => {
  const read = webhookFields(tree, faults);
  return (
    read && {
      ...read,
      events: eventTypes.filter((type) => (read.events as readonly string[]).includes(type)),
    }
  );
};

export const webhooks: Kind<WebhookPlan, WebhookRecord> = {
  section: 'webhooks',
  within: 'company',
  noun: 'this webhook',
  read: webhook,
  keyField: 'id',
  keyOf: webhookKeyOf,
  mentions: ({ user }) => (user === undefined ? {} : { users: { keys: [user] } }),
  load: (reading, scope) => readWebhooks(reading, namedIn(scope, 'companies').keys),
  after({ company, id, url, secrets, events, filter, user, batch, text, active }, before, _, keeps) {
    const wanted = { company, id, url, secrets, events, filter, user, batch, text, active };
    return keeping(wanted, before, keeps);
  },
  describe: lines(({ id, company }) => `webhook ${id} in ${company}`, {
    as: ({ filter, ...webhook }) => ({
      ...webhook,
      filter: Object.keys(filter).length === 0 ? undefined : filter,
    }),
    keys: ['id', 'company'],
    // A URL may contain a key.
    hiddenInLog: ['url'],
    absent: { user: 'all' },
    ordinary: { batch: false, text: 'none', active: true },
  }),
  fileFaults(asked) {
    if (asked.secrets.length <= maxSecrets) return [];
    return [
      faultAt(asked, 'secrets', `must have at most ${maxSecrets} items: the old secret and the new one`),
    ];
  },
  faultsOf: (asked, view) => [...filterFaults(asked, view), ...userFaults(asked, view)],
  faults: (view) => [...leftBehind(view), ...tooMany(view)],
  warnings(asked) {
    if (asked.remove) return [];
    return [
      ...(asked.secrets.length > 0
        ? []
        : [faultAt(asked, 'secrets', 'is empty, so the receiver cannot verify who posts to it')]),
      ...(asked.url.startsWith('http:')
        ? [faultAt(asked, 'url', 'is not https, so anyone on the path can read what is posted')]
        : []),
    ];
  },
  async protect(asked, before, { sealing }) {
    const { company, id: name } = asked;
    const place = placeOfSecret({ company, name });
    const secrets = asked.secrets.map((secret) => {
      const stored = before?.secrets.find((one) => sealing.open(one, place) === secret);
      return sealing.seal(secret, place, stored);
    });
    return { ...asked, secrets };
  },
  create: createWebhooks,
  change: changeWebhooks,
  remove: removeWebhooks,
  news: ['webhooks'],
  auditOf: (edit) => ({ company: (edit.after ?? edit.before)?.company ?? '', ...entryOfEdit(edit) }),
};

function filterFaults(asked: WebhookPlan, view: View): readonly Fault[] {
  const kept = view.after(webhooks).get(webhookKeyOf(asked));
  if (kept === undefined) return [];
  return contradictionsIn(kept.events, kept.filter).map(({ sentence }) => faultAt(asked, 'filter', sentence));
}

function userFaults(asked: WebhookPlan, view: View): readonly Fault[] {
  const { user, company, remove } = asked;
  if (remove || user === undefined || view.after(users).get(user)?.company === company) return [];
  return [faultAt(asked, 'user', `the company ${company} has no user "${user}"`)];
}

/** Finds webhooks of users who are removed. */
function leftBehind(view: View): readonly Fault[] {
  const removers = userRemovers(view);
  return [...view.after(webhooks).values()].flatMap(({ id, user = '' }) => {
    const remover = removers.get(user);
    if (remover === undefined) return [];
    const sentence = `the webhook ${id} reports the messages of ${user}; remove the webhook too, or change its "user"`;
    return [faultAt(remover, 'remove', sentence)];
  });
}

function tooMany(view: View): readonly Fault[] {
  return [...view.asked(companies).values()].flatMap((company) => {
    const own = [...view.after(webhooks).values()].filter((one) => one.company === company.name);
    if (own.length <= maxWebhooks) return [];
    return [
      faultAt(
        company,
        'webhooks',
        `a company may have at most ${maxWebhooks} webhooks; this one would have ${own.length}`,
      ),
    ];
  });
}
