/** The texts of the API key and session pages. */
import { wordsOf } from '../words/words.ts';

export const useKeyWords = wordsOf({
  title: ['API keys', 'API-nycklar'],
  lead: [
    'With a key, a program can send in your name. Give each program its own.',
    'Med en nyckel kan ett program skicka i ditt namn. Ge varje program en egen.',
  ],
  make: ['Create a key', 'Skapa en nyckel'],
  name: ['Name', 'Namn'],
  nameHint: [
    'What uses it, such as “ward system”.',
    'Vad som använder den, till exempel ”avdelningssystemet”.',
  ],
  expires: ['Expires', 'Går ut'],
  expiresHint: ['Without a time, it works until you revoke it.', 'Utan tid gäller den tills du spärrar den.'],
  never: ['Never', 'Aldrig'],
  state: ['Status', 'Status'],
  states: {
    enabled: ['Active', 'Aktiv'],
    expired: ['Expired', 'Har gått ut'],
    revoked: ['Revoked', 'Spärrad'],
  },
  created: ['Created', 'Skapad'],
  acts: ['Revoke', 'Spärra'],
  revoke: ['Revoke', 'Spärra'],
  revokeTitle: [(name: string) => `Revoke “${name}”?`, (name: string) => `Spärra ”${name}”?`],
  revokeText: [
    'Programs that use it are refused at once, and the key never works again.',
    'Program som använder den nekas genast, och nyckeln fungerar aldrig mer.',
  ],
  revoked: [(name: string) => `“${name}” is revoked.`, (name: string) => `”${name}” är spärrad.`],
  madeTitle: [(name: string) => `The key “${name}”`, (name: string) => `Nyckeln ”${name}”`],
  madeText: ['Copy it now: it will not be shown again.', 'Kopiera den nu: den visas inte igen.'],
  done: ['I have copied it', 'Jag har kopierat den'],
  none: ['No API keys yet', 'Inga API-nycklar än'],
  noneText: [
    'Create one for each program that sends or reads messages in your name.',
    'Skapa en för varje program som ska skicka eller läsa meddelanden i ditt namn.',
  ],
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
  passwordManaged: [
    'Your password is set by the operator. Ask the operator for a new one.',
    'Ditt lösenord har satts av driften. Be driften om ett nytt.',
  ],
  current: ['Current password', 'Nuvarande lösenord'],
  next: ['New password', 'Nytt lösenord'],
  nextHint: [
    'At least 12 characters. All other sessions end.',
    'Minst 12 tecken. Alla andra sessioner avslutas.',
  ],
  change: ['Change password', 'Byt lösenord'],
  changed: ['The password is changed.', 'Lösenordet är bytt.'],
});
