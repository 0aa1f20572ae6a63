/** The texts that people get besides the question itself, by language; a type may have its own. */
import { askedWords, type Language } from '../wire/answers/words.ts';
import { type JobTypeSettings, type TextName, textNames } from './job-type.ts';

/** A type cannot change these texts; they report the person's current state, for example in reply to `?`. */
const statusNames = ['openStatus', 'doneStatus', 'heldStatus', 'reserveStatus'] as const;
type StatusName = (typeof statusNames)[number];
export type ReplyName = TextName | StatusName;

const texts: Readonly<Record<Language, Readonly<Record<ReplyName, string>>>> = {
  en: {
    assignedText: '{job}: thank you, you are on.',
    declinedText: '{job}: thank you for your answer. We will not count on you.',
    filledText: '{job}: thank you, but all places are filled.',
    reserveText: '{job}: thank you. All places are filled; you are reserve no. {place}.',
    promotedText: '{job}: a place has become free, and you are on now.',
    lateText: '{job}: thank you, but it is too late: this request has ended.',
    unneededText: '{job}: enough people have answered. You are not needed this time.',
    helpText: '{job}: please begin your answer with {yes} or {no}. Send ? for the status.',
    reminderText: 'Reminder: {message}',
    canceledText: '{job} has been called off. You are not needed.',
    codeText: '{message} Please answer {yes} or {no}.',
    whichText: 'Which one do you mean? Please answer with its number: {choices}.',
    openStatus: '{job}: {found} of {needed} found. You have not answered {yes} or {no} yet.',
    doneStatus: '{job}: {found} of {needed} found. We will not count on you.',
    heldStatus: '{job}: {found} of {needed} found. You are on.',
    reserveStatus: '{job}: {found} of {needed} found. You are reserve no. {place}.',
  },
  sv: {
    assignedText: '{job}: tack, du är med.',
    declinedText: '{job}: tack för ditt svar. Vi räknar inte med dig.',
    filledText: '{job}: tack, men alla platser är fyllda.',
    reserveText: '{job}: tack. Alla platser är fyllda; du är reserv nr {place}.',
    promotedText: '{job}: en plats har blivit ledig och du är med nu.',
    lateText: '{job}: tack, men det är för sent: förfrågan är avslutad.',
    unneededText: '{job}: tillräckligt många har svarat. Du behövs inte den här gången.',
    helpText: '{job}: börja ditt svar med {yes} eller {no}. Ett ? visar läget.',
    reminderText: 'Påminnelse: {message}',
    canceledText: '{job} är inställt. Du behövs inte.',
    codeText: '{message} Svara {yes} eller {no}.',
    whichText: 'Vilken menar du? Svara med dess nummer: {choices}.',
    openStatus: '{job}: {found} av {needed} klara. Du har inte svarat {yes} eller {no} än.',
    doneStatus: '{job}: {found} av {needed} klara. Vi räknar inte med dig.',
    heldStatus: '{job}: {found} av {needed} klara. Du är med.',
    reserveStatus: '{job}: {found} av {needed} klara. Du är reserv nr {place}.',
  },
  no: {
    assignedText: '{job}: takk, du er med.',
    declinedText: '{job}: takk for svaret. Vi regner ikke med deg.',
    filledText: '{job}: takk, men alle plassene er fylt.',
    reserveText: '{job}: takk. Alle plassene er fylt; du er reserve nr. {place}.',
    promotedText: '{job}: en plass er blitt ledig, og du er med nå.',
    lateText: '{job}: takk, men det er for sent: forespørselen er avsluttet.',
    unneededText: '{job}: nok folk har svart. Du trengs ikke denne gangen.',
    helpText: '{job}: begynn svaret med {yes} eller {no}. Et ? viser hvordan det står til.',
    reminderText: 'Påminnelse: {message}',
    canceledText: '{job} er avlyst. Du trengs ikke.',
    codeText: '{message} Svar {yes} eller {no}.',
    whichText: 'Hvilken mener du? Svar med nummeret: {choices}.',
    openStatus: '{job}: {found} av {needed} klare. Du har ikke svart {yes} eller {no} ennå.',
    doneStatus: '{job}: {found} av {needed} klare. Vi regner ikke med deg.',
    heldStatus: '{job}: {found} av {needed} klare. Du er med.',
    reserveStatus: '{job}: {found} av {needed} klare. Du er reserve nr. {place}.',
  },
  da: {
    assignedText: '{job}: tak, du er med.',
    declinedText: '{job}: tak for dit svar. Vi regner ikke med dig.',
    filledText: '{job}: tak, men alle pladser er fyldt.',
    reserveText: '{job}: tak. Alle pladser er fyldt; du er reserve nr. {place}.',
    promotedText: '{job}: en plads er blevet ledig, og du er med nu.',
    lateText: '{job}: tak, men det er for sent: forespørgslen er afsluttet.',
    unneededText: '{job}: nok har svaret. Der er ikke brug for dig denne gang.',
    helpText: '{job}: begynd dit svar med {yes} eller {no}. Et ? viser, hvordan det står til.',
    reminderText: 'Påmindelse: {message}',
    canceledText: '{job} er aflyst. Der er ikke brug for dig.',
    codeText: '{message} Svar {yes} eller {no}.',
    whichText: 'Hvilken mener du? Svar med nummeret: {choices}.',
    openStatus: '{job}: {found} af {needed} fundet. Du har ikke svaret {yes} eller {no} endnu.',
    doneStatus: '{job}: {found} af {needed} fundet. Vi regner ikke med dig.',
    heldStatus: '{job}: {found} af {needed} fundet. Du er med.',
    reserveStatus: '{job}: {found} af {needed} fundet. Du er reserve nr. {place}.',
  },
  fi: {
    assignedText: '{job}: kiitos, olet mukana.',
    declinedText: '{job}: kiitos vastauksesta. Emme laske sinua mukaan.',
    filledText: '{job}: kiitos, mutta kaikki paikat on täytetty.',
    reserveText: '{job}: kiitos. Paikat on täytetty; olet varalla numerolla {place}.',
    promotedText: '{job}: paikka on vapautunut, ja olet nyt mukana.',
    lateText: '{job}: kiitos, mutta on liian myöhäistä: pyyntö on päättynyt.',
    unneededText: '{job}: riittävän moni on vastannut. Sinua ei tarvita tällä kertaa.',
    helpText: '{job}: aloita vastauksesi sanalla {yes} tai {no}. Merkki ? kertoo tilanteen.',
    reminderText: 'Muistutus: {message}',
    canceledText: '{job} on peruttu. Sinua ei tarvita.',
    codeText: '{message} Vastaa {yes} tai {no}.',
    whichText: 'Kumpaa tarkoitat? Vastaa sen numerolla: {choices}.',
    openStatus: '{job}: {found}/{needed} löytynyt. Et ole vielä vastannut {yes} tai {no}.',
    doneStatus: '{job}: {found}/{needed} löytynyt. Emme laske sinua mukaan.',
    heldStatus: '{job}: {found}/{needed} löytynyt. Olet mukana.',
    reserveStatus: '{job}: {found}/{needed} löytynyt. Olet varalla numerolla {place}.',
  },
  de: {
    assignedText: '{job}: danke, Sie sind dabei.',
    declinedText: '{job}: danke für Ihre Antwort. Wir rechnen nicht mit Ihnen.',
    filledText: '{job}: danke, aber alle Plätze sind besetzt.',
    reserveText: '{job}: danke. Alle Plätze sind besetzt; Sie sind Reserve Nr. {place}.',
    promotedText: '{job}: ein Platz ist frei geworden, Sie sind jetzt dabei.',
    lateText: '{job}: danke, aber es ist zu spät: die Anfrage ist beendet.',
    unneededText: '{job}: genug Leute haben geantwortet. Sie werden diesmal nicht gebraucht.',
    helpText: '{job}: bitte beginnen Sie Ihre Antwort mit {yes} oder {no}. Ein ? zeigt den Stand.',
    reminderText: 'Erinnerung: {message}',
    canceledText: '{job} ist abgesagt. Sie werden nicht gebraucht.',
    codeText: '{message} Bitte antworten Sie {yes} oder {no}.',
    whichText: 'Welche meinen Sie? Bitte antworten Sie mit der Nummer: {choices}.',
    openStatus: '{job}: {found} von {needed} gefunden. Sie haben noch nicht mit {yes} oder {no} geantwortet.',
    doneStatus: '{job}: {found} von {needed} gefunden. Wir rechnen nicht mit Ihnen.',
    heldStatus: '{job}: {found} von {needed} gefunden. Sie sind dabei.',
    reserveStatus: '{job}: {found} von {needed} gefunden. Sie sind Reserve Nr. {place}.',
  },
};

/** The values that replace labels in braces. */
type TextValues = Readonly<Partial<Record<'job' | 'message' | 'choices', string>>> &
  Readonly<Partial<Record<'place' | 'found' | 'needed' | 'code', number>>>;

const isTextName = (name: ReplyName): name is TextName => (textNames as readonly string[]).includes(name);

/**
 * Replaces labels in one pass, so that inserted text is never scanned again. An unknown label is left as it is. If answers
 * name a code, the words that people are asked to answer with include it: YES 61.
 */
export function textOf(settings: JobTypeSettings, name: ReplyName, values: TextValues): string {
  const own = isTextName(name) ? settings[name] : undefined;
  const { yes, no } = askedWords(settings);
  const code = values.code === undefined ? '' : ` ${values.code}`;
  const words = { yes: `${yes}${code}`, no: `${no}${code}` };
  const known: Readonly<Record<string, number | string | undefined>> = { ...values, ...words };
  return (own ?? texts[settings.language][name]).replace(/\{([a-z]+)\}/g, (label, key: string) =>
    Object.hasOwn(known, key) ? String(known[key] ?? '') : label,
  );
}
