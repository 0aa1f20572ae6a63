/** The texts of the pages of API keys and sessions. */
import { wordsOf } from '../words/words.ts';

export const useKeyWords = wordsOf({
  title: ['API keys', 'API-nycklar'],
  lead: [
    'With a key, a program sends in your name. Give each program its own.',
    'Med en nyckel skickar ett program i ditt namn. Ge varje program en egen.',
  ],
  make: ['Make a key', 'Skapa en nyckel'],
  name: ['Name', 'Namn'],
  nameHint: [
    'What uses it, such as “ward system”.',
    'Vad som använder den, till exempel ”avdelningssystemet”.',
  ],
  expires: ['Ends', 'Upphör'],
  expiresHint: ['Left out, it works until you revoke it.', 'Utan tid gäller den tills du spärrar den.'],
  never: ['Never', 'Aldrig'],
  state: ['State', 'Läge'],
  states: {
    enabled: ['Works', 'Gäller'],
    expired: ['Has ended', 'Har upphört'],
    revoked: ['Revoked', 'Spärrad'],
  },
  created: ['Made', 'Skapad'],
  acts: ['Revoke', 'Spärra'],
  revoke: ['Revoke', 'Spärra'],
  revokeTitle: [(name: string) => `Revoke “${name}”?`, (name: string) => `Spärra ”${name}”?`],
  revokeText: [
    'Whatever uses it is refused at once, and the key never works again.',
    'Allt som använder den nekas genast, och nyckeln gäller aldrig mer.',
  ],
  revoked: [(name: string) => `“${name}” is revoked.`, (name: string) => `”${name}” är spärrad.`],
  madeTitle: [(name: string) => `The key “${name}”`, (name: string) => `Nyckeln ”${name}”`],
  madeText: ['Copy it now: it is shown this once.', 'Kopiera den nu: den visas bara den här gången.'],
  done: ['I have it', 'Jag har den'],
  none: ['No API keys yet', 'Inga API-nycklar än'],
  noneText: [
    'Make one for each program that is to send or read messages in your name.',
    'Skapa en för varje program som ska skicka eller läsa meddelanden i ditt namn.',
  ],
  sessions: ['Where you are signed in', 'Där du är inloggad'],
  sessionsLead: [
    'Sign out any that you don’t recognise, then choose a new password.',
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
  passwordManaged: [
    'Whoever runs this server has set your password in a file. Ask there for another one.',
    'Den som driver servern har satt ditt lösenord i en fil. Be om ett annat där.',
  ],
  current: ['Present password', 'Nuvarande lösenord'],
  next: ['New password', 'Nytt lösenord'],
  nextHint: [
    'At least 12 characters. All other sessions end.',
    'Minst 12 tecken. Alla andra sessioner avslutas.',
  ],
  change: ['Change the password', 'Byt lösenord'],
  changed: ['The password is changed.', 'Lösenordet är bytt.'],
});
