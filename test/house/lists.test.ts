/** Lists of the management API: each is read a page at a time, or is known to be short. */
import { expect, test } from 'vitest';
import { everyEndpoint } from '../../scripts/docs/generated-documents.ts';
import { nextOf, pageParameters } from '../../src/http/parameters/page.ts';

interface Schema {
  readonly type?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Lists that are answered whole, by operation and field, and what bounds each. */
const answeredWhole: Readonly<Record<string, string>> = {
  'countLatestMessages.statuses': 'one for each status',
  'findByName.batches': 'eight of a kind',
  'findByName.groups': 'eight of a kind',
  'findByName.jobs': 'eight of a kind',
  'findByName.people': 'eight of a kind',
  'findByName.templates': 'eight of a kind',
  'getBatch.failures': 'statuses of messages',
  'getCompany.costCenters': 'a company has 100 at the most',
  'getCompanyJob.tasks': 'a job has 20 at the most',
  'getContact.tags': 'a contact has 100 at the most',
  'getIncident.acknowledgements': 'the latest 100',
  'getIncident.list': 'the first 100, and how many there are',
  'getMessage.timeline':
    'a message has 255 parts at the most, and of its events the first 10 are kept and the latest 40',
  'countOperatorsUnmatchedReceipts.carriers': 'carriers of the operator',
  'previewOperatorsRoute.carriers': 'the carriers of the routes that take the message',
  'previewOperatorsRoute.steps': 'the first 100, and whether there are more',
  'getOperatorsCarrier.nodes': 'nodes that are alive',
  'getOperatorsCarrier.retries': 'the ten most frequent reasons',
  'getOperatorsCarrier.settings': 'those of its type',
  'listCarrierTests.tests': 'the latest 20',
  'listOperatorsCarriers.carriers': 'those of the operator, as of listCarriers',
  'getOperatorsMessage.timeline': 'the same as of getMessage',
  'getPerson.contacts': '100 of an address book; the export has all',
  'getPerson.conversations':
    'the latest 50, and whether there are more; listConversations and the export have all',
  'getPerson.nearMisses': 'the latest ten; the export has more',
  'getPerson.optOuts': 'one for each category and form of the number',
  'getRun.tasks': 'those of its saved job',
  'getRunRecord.people': 'a run has 10,000 at the most; they are sent as the client reads them',
  'getRunRecord.tasks': 'those of its saved job',
  'getRunRecord.timeline':
    'what a run has decided, which its people and their limit of replies bound; sent as the client reads it',
  'getService.files': 'the latest 20',
  'getService.nodes': 'the first 100, of which a service has a few',
  'getService.waiting': 'two for each carrier of the operator',
  'getSavedJob.tasks': 'a provisioning file takes 20 of a job',
  'getStart.attempts': 'the last of each of five webhooks',
  'getTemplate.fields': 'those that stand in a text of bounded length',
  'getTemplateVersion.fields': 'those that stand in a text of bounded length',
  'getUsage.usage': 'the 1,000 largest sums, and whether there are more; exportUsage has all',
  'getWebhookAttempt.posted': 'a post has 500 events at the most',
  'listCarriers.carriers': 'those of the operator, who has each in the provisioning file',
  'listCostCenters.costCenters': 'a company has 100 at the most',
  'listEmailDomains.endings':
    'the operator writes them into the entry of the company in the provisioning file',
  'listTemplateVersions.versions': 'the last 100 are kept',
  'listUserSessions.sessions': 'a user has 50 at the most',
  'listUserSessions.identities': 'one for each identity provider, of which a service has few',
};

/**
 * A receiver continues after the number of the last event that it has, however it got that event: there is no `next`.
 */
const byNumber = 'pullEvents.events';

/** A list of texts is a value that an object has. */
const lists = everyEndpoint
  .filter(({ path, methods }) => path.startsWith('/api/v1/') && methods.some((method) => method === 'GET'))
  .flatMap(({ operation, table, answer }) => {
    const { properties = {} } = answer as Schema;
    return Object.entries(properties)
      .filter(([, { items }]) => items?.type === 'object')
      .map(([field]) => ({ name: `${operation}.${field}`, parameters: table.parameters, properties }));
  });
const isPaged = ({ parameters }: (typeof lists)[number]) => 'after' in parameters || 'limit' in parameters;

test('[PORT-4] Each paged list of the management API is read by `limit` and `after`, and returns `next`', () => {
  const paged = lists.filter((list) => isPaged(list) && list.name !== byNumber);
  for (const { name, parameters, properties } of paged) {
    const { after, limit } = parameters as Readonly<Record<string, unknown>>;
    const { urlNames } = after as typeof pageParameters.after;
    expect([name, urlNames.map((one) => one.name), limit]).toEqual([name, ['after'], pageParameters.limit]);
    expect([name, properties.next]).toEqual([
      name,
      { ...nextOf(''), description: expect.stringMatching(/^Give it as `after` to get the next page\./) },
    ]);
  }
  expect(paged.length).toBeGreaterThan(25);
});

test('[PORT-4] [CONV-12] Each list of the management API that is answered whole is listed with what bounds it', () => {
  const whole = lists.filter((list) => !isPaged(list)).map(({ name }) => name);
  expect(whole.sort()).toEqual(Object.keys(answeredWhole).sort());
});
