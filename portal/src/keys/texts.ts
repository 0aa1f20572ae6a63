/** The texts of the API key pages. */

import { plural, wordsOf } from '../words/words.ts';

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
  limit: ['Limit', 'Begränsa'],
  limitTitle: [(name: string) => `Limit “${name}”`, (name: string) => `Begränsa ”${name}”`],
  save: ['Save', 'Spara'],
  onlySome: ['Only some calls', 'Bara vissa anrop'],
  onlySomeHint: [
    'Otherwise the program may do all that you may.',
    'Annars får programmet göra allt som du får göra.',
  ],
  may: ['The program may', 'Programmet får'],
  scopes: {
    read: ['Read', 'Läsa'],
    send: ['Send', 'Skicka'],
    jobs: ['Start saved jobs', 'Starta sparade jobb'],
    contacts: ['Change contacts and opt-outs', 'Ändra kontakter och avanmälningar'],
    webhooks: ['Use webhooks', 'Använda webhookar'],
    email: ['Manage e-mail senders', 'Sköta e-postavsändare'],
    alerts: ['Post alerts', 'Skicka larm'],
    admin: ['Administer', 'Administrera'],
  },
  networks: ['Only from these networks', 'Bara från de här näten'],
  networksHint: [
    'IP addresses or networks, such as 10.0.0.0/8. Without any, the key works from anywhere.',
    'IP-adresser eller nät, till exempel 10.0.0.0/8. Utan något gäller nyckeln varifrån som helst.',
  ],
  state: ['Status', 'Status'],
  states: {
    enabled: ['Active', 'Aktiv'],
    expired: ['Expired', 'Har gått ut'],
    revoked: ['Revoked', 'Spärrad'],
  },
  created: ['Created', 'Skapad'],
  acts: ['Actions', 'Åtgärder'],
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
  allTitle: ['API keys of everybody', 'Allas API-nycklar'],
  allLead: [
    'With these keys, programs act in the names of the company’s users.',
    'Med de här nycklarna agerar program i namn av företagets användare.',
  ],
  allNone: ['No API keys', 'Inga API-nycklar'],
  allNoneText: ['Nobody in the company has made a key.', 'Ingen i företaget har skapat någon nyckel.'],
  noneSuch: ['No key matches the filters.', 'Ingen nyckel passar filtren.'],
  user: ['User', 'Användare'],
  anyState: ['All', 'Alla'],
  unused: ['Unused for 90 days', 'Oanvända i 90 dagar'],
  unusedHint: ['Or never used at all.', 'Eller aldrig använda alls.'],
  withoutEnd: ['No end', 'Utan slut'],
  withoutEndHint: ['Valid until somebody revokes them.', 'Gäller tills någon spärrar dem.'],
  keyOf: [
    (name: string, user: string) => `${name} of ${user}`,
    (name: string, user: string) => `${name} för ${user}`,
  ],
  setEnd: ['Set end', 'Sätt sluttid'],
  endAt: ['Ends', 'Går ut'],
  endHint: [
    'From then on, programs that use it are refused. A time that has passed ends it at once.',
    'Därefter nekas program som använder den. En tid som har passerat avslutar den genast.',
  ],
  setEndQuestion: plural(
    ['When does # key end?', 'When do # keys end?'],
    ['När går # nyckel ut?', 'När går # nycklar ut?'],
  ),
  endSet: plural(
    ['The end of # key is set.', 'The end of # keys is set.'],
    ['Sluttiden för # nyckel är satt.', 'Sluttiden för # nycklar är satt.'],
  ),
  noEnd: ['Remove end', 'Ta bort sluttid'],
  noEndQuestion: plural(
    [
      '# key will have no end, and works again if it has expired.',
      '# keys will have no end, and work again if they have expired.',
    ],
    [
      '# nyckel får ingen sluttid, och fungerar igen om den har gått ut.',
      '# nycklar får ingen sluttid, och fungerar igen om de har gått ut.',
    ],
  ),
  endRemoved: plural(
    ['# key has no end.', '# keys have no end.'],
    ['# nyckel har ingen sluttid.', '# nycklar har ingen sluttid.'],
  ),
  revokeQuestion: plural(
    [
      'Revoke # key? Programs that use it are refused at once, and it never works again.',
      'Revoke # keys? Programs that use them are refused at once, and they never work again.',
    ],
    [
      'Spärra # nyckel? Program som använder den nekas genast, och den fungerar aldrig mer.',
      'Spärra # nycklar? Program som använder dem nekas genast, och de fungerar aldrig mer.',
    ],
  ),
  revokeDone: plural(
    ['# key is revoked.', '# keys are revoked.'],
    ['# nyckel är spärrad.', '# nycklar är spärrade.'],
  ),
  used: ['Last used', 'Senast använd'],
  passwordManaged: [
    'Your password is set by the operator. Ask the operator for a new one.',
    'Ditt lösenord har satts av driften. Be driften om ett nytt.',
  ],
});
