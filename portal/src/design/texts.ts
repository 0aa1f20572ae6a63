/** The texts of components that the first screen may show; those of the others are in `later-texts.ts`. */
import type { StatusName } from '../../../src/messages/message.ts';
import { type Pair, wordsOf } from '../words/words.ts';

export const useDesignWords = wordsOf({
  statuses: {
    QUEUED: ['Waiting', 'Väntar'],
    SENT: ['On its way', 'På väg'],
    DELIVERED: ['Delivered', 'Framme'],
    DELETED: ['Withdrawn', 'Återkallat'],
    EXPIRED: ['Expired', 'För gammalt'],
    REJECTED: ['Rejected', 'Avvisat'],
    UNDELIVERABLE: ['Undeliverable', 'Går inte fram'],
    ACCEPTED: ['On its way', 'På väg'],
    ABSENTSUBSCRIBER: ['Phone unreachable', 'Telefonen nås inte'],
    UNKNOWNSUBSCRIBER: ['Unknown number', 'Okänt nummer'],
    INVALIDDESTINATION: ['Invalid number', 'Ogiltigt nummer'],
    SUBSCRIBERERROR: ['Refused by the phone', 'Avvisat av telefonen'],
    UNKNOWN: ['Fate unknown', 'Okänt öde'],
    ERROR: ['Failed', 'Misslyckat'],
    SCHEDULED: ['Scheduled', 'Schemalagt'],
    CANCELED: ['Cancelled', 'Avbrutet'],
  } satisfies Readonly<Record<StatusName, Pair>>,
  simulated: ['simulated', 'simulerat'],
  undo: ['Undo', 'Ångra'],
  dismiss: ['Dismiss', 'Stäng'],
  notifications: ['Notifications', 'Meddelanden från sidan'],
  close: ['Close', 'Stäng'],
  loading: ['Loading', 'Laddar'],
  tryAgain: ['Try again', 'Försök igen'],
  unreachable: [
    'The server can’t be reached. Check the connection; nothing that you typed is lost.',
    'Servern går inte att nå. Kontrollera anslutningen; inget du har skrivit går förlorat.',
  ],
  nocookies: [
    'You were let in, but this browser has not kept the cookie that says so. Allow cookies for this site, then sign in.',
    'Du släpptes in, men webbläsaren sparade inte kakan som visar det. Tillåt kakor för den här webbplatsen och logga sedan in.',
  ],
  outdated: [
    'This was tried about a day ago or more, and may have been done then. See whether it was before you begin anew.',
    'Det här gjordes för omkring ett dygn sedan eller mer, och kan ha gått igenom då. Se efter om det gjorde det innan du börjar om.',
  ],
  optional: ['optional', 'frivilligt'],
  showPassword: ['Show', 'Visa'],
  hidePassword: ['Hide', 'Dölj'],
});
