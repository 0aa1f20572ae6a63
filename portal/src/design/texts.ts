/** The texts of components that the first screen may show; those of the other components are in `later-texts.ts`. */
import type { StatusName } from '../../../src/messages/message.ts';
import { type Pair, wordsOf } from '../words/words.ts';

export const useDesignWords = wordsOf({
  statuses: {
    QUEUED: ['Waiting', 'Väntar'],
    SENT: ['On its way', 'På väg'],
    DELIVERED: ['Delivered', 'Levererat'],
    DELETED: ['Cancelled', 'Stoppat'],
    EXPIRED: ['Expired', 'Tiden gick ut'],
    REJECTED: ['Rejected', 'Avvisat'],
    UNDELIVERABLE: ['Undeliverable', 'Gick inte fram'],
    ACCEPTED: ['On its way', 'På väg'],
    ABSENTSUBSCRIBER: ['Phone unreachable', 'Telefonen nås inte'],
    UNKNOWNSUBSCRIBER: ['Unknown number', 'Okänt nummer'],
    INVALIDDESTINATION: ['Invalid number', 'Ogiltigt nummer'],
    SUBSCRIBERERROR: ['Refused by the phone', 'Avvisat av telefonen'],
    UNKNOWN: ['Outcome unknown', 'Okänt utfall'],
    ERROR: ['Failed', 'Misslyckat'],
    SCHEDULED: ['Scheduled', 'Schemalagt'],
    CANCELED: ['Cancelled', 'Stoppat'],
  } satisfies Readonly<Record<StatusName, Pair>>,
  simulated: ['simulated', 'simulerat'],
  skip: ['Skip to content', 'Hoppa till innehållet'],
  undo: ['Undo', 'Ångra'],
  dismiss: ['Dismiss', 'Stäng'],
  notifications: ['Notifications', 'Aviseringar'],
  close: ['Close', 'Stäng'],
  loading: ['Loading', 'Laddar'],
  tryAgain: ['Try again', 'Försök igen'],
  unreachable: [
    'The server can’t be reached. Check your connection; nothing you typed is lost.',
    'Servern går inte att nå. Kontrollera anslutningen; inget du har skrivit går förlorat.',
  ],
  nocookies: [
    'You signed in, but this browser did not keep the sign-in cookie. Allow cookies for this site, then sign in again.',
    'Inloggningen gick bra, men webbläsaren sparade inte kakan. Tillåt kakor för den här webbplatsen och logga sedan in igen.',
  ],
  outdated: [
    'This was first tried about a day ago, and may have gone through. Check before you start again.',
    'Det första försöket gjordes för ungefär ett dygn sedan och kan ha gått igenom. Kontrollera det innan du börjar om.',
  ],
  unknown: [
    'The server’s answer can’t be read. Try again in a moment.',
    'Serverns svar går inte att läsa. Försök igen om en stund.',
  ],
  told: ['It did not work. Try again to see why.', 'Det gick inte. Försök igen för att se varför.'],
  optional: ['optional', 'valfritt'],
  showPassword: ['Show', 'Visa'],
  hidePassword: ['Hide', 'Dölj'],
});
