/** The texts of the page about one phone number, in English. */
import { plural } from '../words/words.ts';

const messages = plural('en', '# message', '# messages');
const runs = plural('en', '# place in a run', '# places in runs');
const batches = plural('en', '# part of a batch', '# parts of batches');
const contacts = plural('en', '# person of a provisioning file', '# people of provisioning files');
const imports = plural('en', '# line of an import', '# lines of imports');
const jobs = plural('en', '# saved job', '# saved jobs');
const templates = plural('en', '# version of a template', '# versions of templates');
const mails = plural('en', '# e-mail', '# e-mails');
const webhooks = plural('en', '# event of a webhook', '# events of webhooks');
const answers = plural('en', '# answer kept for a retry', '# answers kept for retries');
const settings = plural('en', '# setting', '# settings');
const rows = plural('en', '# entry', '# entries');

export const en = {
  lead: 'All that is known of this number.',
  toAll: 'Everything about this number',
  contacts: 'In address books',
  noContacts: 'Nobody in your address books has this number.',
  conversations: 'Conversations',
  with: (number: string, user: string) => `with ${number}, ${user}`,
  unread: plural('en', '# unread', '# unread'),
  sent: 'Sent to the number',
  noSent: 'Nothing was sent to it',
  noSentText: 'Or what was sent is older than messages are kept.',
  received: 'Came from the number',
  noReceived: 'Nothing has come from it',
  noReceivedText: 'An answer from the phone shows here.',
  time: 'When',
  status: 'Status',
  what: 'As part of',
  batch: 'A batch',
  message: 'Message',
  others: (user: string) => `To ${user}`,
  answers: { waiting: 'not asked', asked: 'asked', unreachable: 'not reached', yes: 'YES', no: 'NO' },
  export: 'Export',
  erase: 'Erase',
  eraseTitle: 'Erase everything about this number?',
  eraseText:
    'For somebody who asks to be forgotten. Contacts, messages both ways, conversations and answers go, for all users of the company; what waits is taken back. Sums and costs stay. It can’t be undone.',
  confirm: 'Type the number to confirm',
  cancel: 'Cancel',
  begun: 'The erasure has begun.',
  underWay: (erased: number) => `This number is being erased: ${rows(erased)} so far.`,
  waits: (things: string) =>
    `Still found: ${things}. What is needed for a while goes by itself; a text that names the number goes once you change it. Ask for the erasure again, and it looks at once.`,
  kept: { messages, runs, batches, contacts, imports, jobs, templates, mails, webhooks, answers, settings },
  done: (at: string) => `Everything about this number was erased: ${at}.`,
};
