/** The texts of the front page, in English. */
import { plural } from '../words/words.ts';

const messages = plural('en', '# message', '# messages');
const failed = plural('en', '# message has failed today', '# messages have failed today');
const unrouted = plural('en', '# SMS has come for nobody', '# SMS have come for nobody');
const unread = plural('en', '# unread conversation', '# unread conversations');
const assigned = plural('en', '# conversation is assigned to you', '# conversations are assigned to you');
const answers = plural('en', '# has not answered', '# have not answered');
const numbers = new Intl.NumberFormat('en');
const orMore = (text: string, isMore: boolean) => (isMore ? `More than ${text}` : text);

export const en = {
  title: 'Start',
  lead: (company: string) => `What is going on at ${company}.`,
  needsMe: 'Needs you',
  nothing: 'Nothing needs you.',
  unrouted: (count: number, isMore: boolean) => orMore(unrouted(count), isMore),
  give: 'Pass on',
  unread: (count: number, isMore: boolean) => orMore(unread(count), isMore),
  read: 'Read',
  assigned: (count: number, isMore: boolean) => orMore(assigned(count), isMore),
  failedToday: failed,
  look: 'See',
  down: (carrier: string) => `The carrier ${carrier} can’t be reached`,
  whatWaits: 'What waits',
  nearlyUsed: {
    quota: { ofUser: 'Your quota is nearly used up', ofCompany: 'The company’s quota is nearly used up' },
    day: { ofUser: 'Your limit for today is near', ofCompany: 'The company’s limit for today is near' },
  },
  left: (left: number, limit: number) => `${numbers.format(left)} of ${numbers.format(limit)} parts left`,
  webhook: {
    failing: (name: string) => `The webhook ${name} is failing`,
    disabled: (name: string) => `The webhook ${name} is switched off`,
  },
  since: 'Since',
  gone: 'its receiver wants no more (HTTP 410)',
  failures: 'nothing but failures for five days',
  postNow: 'Post now',
  enable: 'Enable',
  posting: 'What waits is being posted.',
  underWay: 'Under way',
  batch: (id: string) => `Batch ${id}`,
  handedOver: (done: number, all: number) => `${numbers.format(done)} of ${messages(all)} handed over`,
  states: {
    preparing: 'Being prepared',
    scheduled: 'Scheduled',
    held: 'Waits for sending hours',
    sending: 'Being sent',
    paused: 'Paused',
  },
  open: 'Open',
  resume: 'Resume',
  places: (found: number, goal: number | undefined) =>
    goal === undefined ? `${found} found` : `${found} of ${goal} places filled`,
  silent: answers,
  ends: (time: string) => `ends ${time}`,
  decide: 'Decide',
  today: 'Today',
  figures: {
    accepted: 'Accepted',
    delivered: 'Delivered',
    moving: 'On their way',
    waiting: 'Waiting',
    failed: 'Failed',
  },
  counted: (count: string, since: string) => `Only the latest ${count} are counted: since ${since}.`,
  latest: 'Latest messages',
  none: 'Nothing has been sent yet',
  noneText: 'Messages show here as soon as somebody sends one, by the portal or by the API.',
};
