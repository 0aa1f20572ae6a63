/** What the page of an answer, and the mail that leads to it, say in each language. */
import type { Language } from '../answers/words.ts';

export interface PageWords {
  /** Of the mail, in front of the link. */
  readonly answerHere: string;
  readonly linkIsYours: string;
  readonly found: string;
  readonly ends: string;
  readonly ended: string;
  readonly open: string;
  readonly held: string;
  readonly reserve: string;
  readonly filled: string;
  readonly declined: string;
  readonly unneeded: string;
  readonly pending: string;
  readonly mayChange: string;
  readonly tooOften: string;
}

export const pageWords: Readonly<Record<Language, PageWords>> = {
  en: {
    answerHere: 'Answer here:',
    linkIsYours: 'The link is yours alone: whoever has it can answer for you.',
    found: '{found} of {needed} found',
    ends: 'This request ends {when}.',
    ended: 'This request has ended.',
    open: 'You have not answered yet.',
    held: 'You are on. Thank you!',
    reserve: 'All places are filled. You are reserve no. {place}.',
    filled: 'Thank you, but all places are filled.',
    declined: 'You have said no, and are not counted on.',
    unneeded: 'Enough people have answered. You are not needed this time.',
    pending: 'Your answer has been received.',
    mayChange: 'You can still change your answer.',
    tooOften: 'You have changed your answer too often. Please telephone instead.',
  },
  sv: {
    answerHere: 'Svara här:',
    linkIsYours: 'Länken är bara din: den som har den kan svara i ditt ställe.',
    found: '{found} av {needed} klara',
    ends: 'Förfrågan avslutas {when}.',
    ended: 'Förfrågan är avslutad.',
    open: 'Du har inte svarat än.',
    held: 'Du är med. Tack!',
    reserve: 'Alla platser är fyllda. Du är reserv nr {place}.',
    filled: 'Tack, men alla platser är fyllda.',
    declined: 'Du har svarat nej. Vi räknar inte med dig.',
    unneeded: 'Tillräckligt många har svarat. Du behövs inte den här gången.',
    pending: 'Ditt svar är mottaget.',
    mayChange: 'Du kan fortfarande ändra ditt svar.',
    tooOften: 'Du har ändrat ditt svar för många gånger. Ring i stället.',
  },
  no: {
    answerHere: 'Svar her:',
    linkIsYours: 'Lenken er bare din: den som har den, kan svare for deg.',
    found: '{found} av {needed} klare',
    ends: 'Forespørselen avsluttes {when}.',
    ended: 'Forespørselen er avsluttet.',
    open: 'Du har ikke svart ennå.',
    held: 'Du er med. Takk!',
    reserve: 'Alle plassene er fylt. Du er reserve nr. {place}.',
    filled: 'Takk, men alle plassene er fylt.',
    declined: 'Du har svart nei. Vi regner ikke med deg.',
    unneeded: 'Nok folk har svart. Du trengs ikke denne gangen.',
    pending: 'Svaret ditt er mottatt.',
    mayChange: 'Du kan fortsatt endre svaret ditt.',
    tooOften: 'Du har endret svaret ditt for mange ganger. Ring i stedet.',
  },
  da: {
    answerHere: 'Svar her:',
    linkIsYours: 'Linket er kun dit: den, der har det, kan svare for dig.',
    found: '{found} af {needed} fundet',
    ends: 'Forespørgslen slutter {when}.',
    ended: 'Forespørgslen er afsluttet.',
    open: 'Du har ikke svaret endnu.',
    held: 'Du er med. Tak!',
    reserve: 'Alle pladser er fyldt. Du er reserve nr. {place}.',
    filled: 'Tak, men alle pladser er fyldt.',
    declined: 'Du har svaret nej. Vi regner ikke med dig.',
    unneeded: 'Nok har svaret. Der er ikke brug for dig denne gang.',
    pending: 'Dit svar er modtaget.',
    mayChange: 'Du kan stadig ændre dit svar.',
    tooOften: 'Du har ændret dit svar for mange gange. Ring i stedet.',
  },
  fi: {
    answerHere: 'Vastaa tästä:',
    linkIsYours: 'Linkki on vain sinun: kenellä se on, voi vastata puolestasi.',
    found: '{found}/{needed} löytynyt',
    ends: 'Pyyntö päättyy {when}.',
    ended: 'Pyyntö on päättynyt.',
    open: 'Et ole vielä vastannut.',
    held: 'Olet mukana. Kiitos!',
    reserve: 'Kaikki paikat on täytetty. Olet varalla numerolla {place}.',
    filled: 'Kiitos, mutta kaikki paikat on täytetty.',
    declined: 'Vastasit ei. Emme laske sinua mukaan.',
    unneeded: 'Riittävän moni on vastannut. Sinua ei tarvita tällä kertaa.',
    pending: 'Vastauksesi on vastaanotettu.',
    mayChange: 'Voit vielä muuttaa vastaustasi.',
    tooOften: 'Olet muuttanut vastaustasi liian monta kertaa. Soita sen sijaan.',
  },
  de: {
    answerHere: 'Antworten Sie hier:',
    linkIsYours: 'Der Link gehört nur Ihnen: Wer ihn hat, kann für Sie antworten.',
    found: '{found} von {needed} gefunden',
    ends: 'Die Anfrage endet {when}.',
    ended: 'Die Anfrage ist beendet.',
    open: 'Sie haben noch nicht geantwortet.',
    held: 'Sie sind dabei. Danke!',
    reserve: 'Alle Plätze sind besetzt. Sie sind Reserve Nr. {place}.',
    filled: 'Danke, aber alle Plätze sind besetzt.',
    declined: 'Sie haben mit Nein geantwortet. Wir rechnen nicht mit Ihnen.',
    unneeded: 'Genug Leute haben geantwortet. Sie werden diesmal nicht gebraucht.',
    pending: 'Ihre Antwort ist angekommen.',
    mayChange: 'Sie können Ihre Antwort noch ändern.',
    tooOften: 'Sie haben Ihre Antwort zu oft geändert. Bitte rufen Sie an.',
  },
};

/** Of a link that leads nowhere: whose it was, and so which language he reads, is not known. */
export const lostWords = {
  unknown: [
    'This link is not right. Open it as it stands in the mail.',
    'Länken stämmer inte. Öppna den som den står i mejlet.',
  ],
  expired: ['This link has expired. The request is over.', 'Länken har gått ut. Förfrågan är över.'],
} as const;
