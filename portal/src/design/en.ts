/** The texts of components that all pages use, in English. */
import type { StatusName } from '../../../src/messages/message.ts';
import { plural } from '../words/words.ts';

const statuses: Readonly<Record<StatusName, string>> = {
  QUEUED: 'Waiting',
  SENT: 'On its way',
  DELIVERED: 'Delivered',
  DELETED: 'Withdrawn',
  EXPIRED: 'Expired',
  REJECTED: 'Rejected',
  UNDELIVERABLE: 'Undeliverable',
  ACCEPTED: 'On its way',
  ABSENTSUBSCRIBER: 'Phone unreachable',
  UNKNOWNSUBSCRIBER: 'Unknown number',
  INVALIDDESTINATION: 'Invalid number',
  SUBSCRIBERERROR: 'Refused by the phone',
  UNKNOWN: 'Fate unknown',
  ERROR: 'Failed',
  SCHEDULED: 'Scheduled',
  CANCELED: 'Cancelled',
};

export const en = {
  statuses,
  simulated: 'simulated',
  undo: 'Undo',
  dismiss: 'Dismiss',
  notifications: 'Notifications',
  close: 'Close',
  asCurl: 'As curl',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'This browser does not let the page copy. Select the text and copy it.',
  curlNote: 'The same by the API. curl asks for the password; programs use an API key.',
  loadMore: 'Show more',
  searchOn: 'Nothing found so far. Search further back',
  loading: 'Loading',
  newer: 'There is something new',
  showNewer: 'Show it',
  tryAgain: 'Try again',
  unreachable: 'The server can’t be reached. Check the connection; nothing that you typed is lost.',
  nocookies:
    'You were let in, but this browser has not kept the cookie that says so. Allow cookies for this site, then sign in.',
  outdated:
    'This was tried about a day ago or more, and may have been done then. See whether it was before you begin anew.',
  shown: plural('en', '# shown', '# shown'),
  optional: 'optional',
  showPassword: 'Show',
  hidePassword: 'Hide',
  parts: plural('en', '# part', '# parts'),
  charactersOf: (used: number, room: number) => `${used} of ${room} characters`,
  encodings: { gsm7: 'Ordinary letters (GSM-7)', ucs2: 'All characters (UCS-2): 70 a part, not 160' },
  dearCharacters: 'These characters put the whole text into UCS-2, which takes more than twice the parts:',
  replaceOne: (character: string, by: string) =>
    by === '' ? `Remove each ${character}` : `Replace each ${character} by ${by}`,
  removeIt: 'remove',
  replaceAll: 'Replace all',
  replaceAllSaves: (after: number, before: number) => `Replace all: ${after} instead of ${before} parts`,
};
