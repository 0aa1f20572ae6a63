/** Explains, in Swedish, why a message is where it is, what can be done, and what its receipts mean. */
import { inSwedish } from '../../foundation/sentences.ts';
import type { ExplanationWords } from './explanation.ts';

const sendAgain = 'Skicka det igen om det fortfarande behövs.';
const checkNumber = 'Kontrollera numret med den som gav det, och skicka till rätt nummer.';
const cancelable = 'Det kan stoppas så länge ingen operatör har det.';
const moreTime = `${sendAgain} En längre giltighetstid ger det mer tid.`;
const askFirst = 'Fråga mottagaren innan det skickas igen.';

export const swedish: ExplanationWords = {
  carrierCode: (code) => `operatörens kod är ${code}`,
  reason: ({ text, values }) => (values && inSwedish(values)) ?? `”${text}”`,
  messages: {
    scheduled: ({ dueAt }) => ({
      why: `Det väntar på sin tid${dueAt === null ? '' : `, ${dueAt}`}.`,
      todo: 'Det kan stoppas till dess.',
    }),
    waiting: ({ carrier }) => ({
      why: `Det väntar tills operatören ${carrier} har plats för det.`,
      todo: cancelable,
    }),
    inFlight: ({ carrier }) => ({ why: `Det lämnas just nu över till operatören ${carrier}.` }),
    held: ({ dueAt }) => ({
      why: `Det väntar på de timmar då företaget skickar${dueAt === null ? '' : `, till ${dueAt}`}.`,
      todo: cancelable,
    }),
    paused: () => ({
      why: 'Utskicket är pausat.',
      todo: 'Återuppta utskicket. Det kan också stoppas.',
    }),
    retrying: ({ carrier, because, dueAt }) => ({
      why: `Operatören ${carrier} har inte tagit emot det än${because}; ett nytt försök görs${dueAt === null ? '' : ` ${dueAt}`}.`,
      todo: cancelable,
    }),
    sent: ({ carrier, expiresAt }) => ({
      why: `Operatören ${carrier} har tagit emot det, men inget kvitto har kommit än: telefonen kan vara avstängd eller utom räckhåll.`,
      todo: `Vänta: operatören försöker till ${expiresAt}.`,
    }),
    accepted: ({ carrier }) => ({
      why: `Operatören ${carrier} säger att det har tagits emot på vägen, men ännu inte att telefonen har fått det.`,
      todo: 'Vänta på det sista kvittot; några nät skickar inget.',
    }),
    delivered: () => ({ why: 'Telefonen har tagit emot det.' }),
    simulated: ({ carrier }) => ({
      why: `Simulatorn ${carrier} rapporterar det som levererat: ingen telefon har fått det.`,
      todo: 'För riktiga sms behöver driften en väg till en riktig operatör.',
    }),
    deleted: ({ because }) => ({ why: `Det stoppades innan det levererades${because}.` }),
    canceled: ({ because }) => ({ why: `Det stoppades före sin tid${because}.` }),
    expiredUntaken: ({ because, expiresAt }) => ({
      why: `Ingen operatör tog emot det innan giltighetstiden gick ut ${expiresAt}${because}.`,
      todo: moreTime,
    }),
    expiredUnreported: ({ carrier }) => ({
      why: `Operatören ${carrier} tog emot det, men inget kvitto kom innan giltighetstiden gick ut: det kan ändå ha levererats.`,
      todo: askFirst,
    }),
    expiredUnreached: ({ expiresAt }) => ({
      why: `Telefonen gick inte att nå innan giltighetstiden gick ut ${expiresAt}.`,
      todo: moreTime,
    }),
    rejected: ({ carrier, because }) => ({
      why: `Operatören ${carrier} avvisade det${because}.`,
      todo: 'Kontrollera avsändaren och numret. Är båda rätt kan driften fråga operatören med dess id för meddelandet.',
    }),
    undeliverable: ({ because }) => ({
      why: `Nätet kunde inte leverera det${because}.`,
      todo: `${checkNumber} Fasta telefoner tar inte emot sms.`,
    }),
    absent: ({ because }) => ({
      why: `Telefonen var avstängd eller utom räckhåll så länge nätet försökte${because}.`,
      todo: `${sendAgain} En längre giltighetstid ger telefonen mer tid.`,
    }),
    unknownSubscriber: ({ because }) => ({
      why: `Nätet känner ingen abonnent med detta nummer${because}.`,
      todo: checkNumber,
    }),
    invalidDestination: ({ because }) => ({
      why: `Numret leder inte till någon telefon som tar emot sms${because}.`,
      todo: checkNumber,
    }),
    subscriberError: ({ because }) => ({
      why: `Telefonen eller abonnemanget tog inte emot det${because}: minnet kan vara fullt, eller så tas sådana sms inte emot.`,
      todo: sendAgain,
    }),
    unknown: () => ({ why: 'Operatören vet inte vad som hände med det.', todo: askFirst }),
    inDoubt: () => ({
      why: 'Förbindelsen till operatören bröts när det lämnades över: det är oklart om operatören har det.',
      todo: askFirst,
    }),
    error: ({ because }) => ({
      why: `Det kunde inte lämnas över eller levereras${because}.`,
      todo: `${sendAgain} Misslyckas det igen finner driften orsaken i dess tidslinje.`,
    }),
  },
  receipts: {
    fields: {
      id: 'Operatörens id för meddelandet.',
      sub: 'Hur många delar operatören räknade när den tog emot meddelandet.',
      dlvrd: 'Hur många av dem som hade levererats när detta skrevs.',
      'submit date': 'När operatören tog emot meddelandet.',
      'done date': 'När meddelandet fick sin slutliga status.',
      text: 'Början av meddelandet.',
      receipted_message_id: 'Operatörens id för meddelandet.',
    },
    states: {
      ENROUTE: 'Det är på väg.',
      DELIVERED: 'Telefonen har tagit emot det.',
      EXPIRED: 'Giltighetstiden gick ut innan det kunde levereras.',
      DELETED: 'Det raderades hos operatören.',
      UNDELIVERABLE: 'Det gick inte att leverera.',
      ACCEPTED: 'Det togs emot. För vissa operatörer betyder det på väg, för andra att det är klart.',
      UNKNOWN: 'Operatören vet inte vad som hände med det.',
      REJECTED: 'Det avvisades.',
    },
    noError: 'Inget fel.',
    errorMeans: (status) => `Operatörens egen kod, som enligt dess tabell betyder ${status}.`,
    errorUnknown: 'Operatörens egen kod. Betydelsen är inte angiven här; se operatörens dokumentation.',
    time: (written) => `${written} enligt operatörens klocka.`,
    networks: { 1: 'ANSI-136', 2: 'IS-95', 3: 'GSM' },
    networkError: (network, code) => `Nätets kod ${code} (${network}).`,
  },
};
