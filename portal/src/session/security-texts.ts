/** The texts of the page on one's own sessions and password. */
import { wordsOf } from '../words/words.ts';

export const useSecurityWords = wordsOf({
  sessions: ['Where you are signed in', 'Där du är inloggad'],
  sessionsLead: [
    'Sign out any sessions that you don’t recognise, then choose a new password.',
    'Logga ut det du inte känner igen, och byt sedan lösenord.',
  ],
  browser: ['Browser', 'Webbläsare'],
  unknownBrowser: ['Unknown browser', 'Okänd webbläsare'],
  here: ['this one', 'den här'],
  network: ['From', 'Från'],
  used: ['Last used', 'Senast använd'],
  since: ['Signed in', 'Inloggad'],
  signOut: ['Sign out', 'Logga ut'],
  signOutOthers: ['Sign out all others', 'Logga ut alla andra'],
  signedOut: [
    (count: number) => (count === 1 ? 'One session has ended.' : `${count} sessions have ended.`),
    (count: number) => (count === 1 ? 'En session har avslutats.' : `${count} sessioner har avslutats.`),
  ],
  password: ['Password', 'Lösenord'],
  current: ['Current password', 'Nuvarande lösenord'],
  next: ['New password', 'Nytt lösenord'],
  nextHint: [
    'At least 12 characters. All other sessions end.',
    'Minst 12 tecken. Alla andra sessioner avslutas.',
  ],
  change: ['Change password', 'Byt lösenord'],
  changed: ['The password is changed.', 'Lösenordet är bytt.'],
});
