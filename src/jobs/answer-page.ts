/**
 * The page on which a person asked by mail answers: the question, the state of the run, and two buttons, without a script.
 * Its wording, and that of the e-mail that links to it, is kept here in each language.
 */
import { createHash } from 'node:crypto';
import { askedWords, type Language } from '../wire/answers/words.ts';
import { escapeHtml } from '../wire/escape-html.ts';
import type { Person, Run } from './run/run.ts';

/** The state of the run for one person. It names nobody else. */
export interface RunStatus {
  readonly run: Run;
  readonly person: Person;
  /** The number of places held. */
  readonly found: number;
  readonly needed: number;
  /** The position among the reserves, counted from 1. */
  readonly rank: number;
  /** The latest answer not yet processed. */
  readonly pending: 'yes' | 'no' | undefined;
  readonly mayAnswer: boolean;
}

const style = `
:root { color-scheme: light dark; --ink: #1c2733; --soft: #56636f; --paper: #fbfaf7; --card: #fff; --line: #ddd7ca;
  --bronze: #85590f; --onbronze: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ece8df; --soft: #a9b3bd; --paper: #14191f; --card: #1b222a; --line: #36404a; --bronze: #d9a55a; --onbronze: #14191f; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 1.25rem; background: var(--paper); color: var(--ink); font: 1.0625rem/1.5 system-ui, sans-serif; }
main { max-width: 32rem; margin: 0 auto; }
h1 { margin: .5rem 0 1rem; font: 600 1.75rem/1.2 Georgia, 'Times New Roman', serif; overflow-wrap: anywhere; }
.question { margin: 0 0 1.25rem; font-size: 1.25rem; line-height: 1.4; white-space: pre-line; overflow-wrap: anywhere; }
.status { margin: 0 0 1.25rem; padding: .9rem 1.1rem; background: var(--card); border: 1px solid var(--line);
  border-left: .3rem solid var(--bronze); border-radius: .5rem; }
.status p { margin: 0; }
.status p + p { margin-top: .25rem; }
.own { font-weight: 600; }
.soft { color: var(--soft); }
form { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin: 0 0 1.25rem; }
button { min-height: 3.5rem; padding: .5rem; border: 2px solid var(--bronze); border-radius: .6rem; background: var(--card);
  color: var(--bronze); font: 700 1.125rem/1.2 system-ui, sans-serif; cursor: pointer; overflow-wrap: anywhere; }
button.yes { background: var(--bronze); color: var(--onbronze); }
button:focus-visible { outline: 3px solid var(--ink); outline-offset: 3px; }
`;

const styleHash = createHash('sha256').update(style).digest('base64');
/** Nothing is loaded, and the form can only be sent to this server. */
export const answerPagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

export function answerPage(status: RunStatus, now: number): string {
  const { run, mayAnswer } = status;
  const { language } = run.settings;
  const words = pageWords[language];
  const isOver = run.phase === 'ended' || now >= (run.expiryAt ?? now + 1);
  const own = ownState(status);
  const { found, needed } = status;
  const ends =
    isOver || run.expiryAt === null
      ? words.ended
      : filled(words.ends, { when: inMinutes(language, run.expiryAt - now) });
  const hasAnswered = status.person.state === 'yes' || status.person.state === 'no';
  return page(
    language,
    run.jobName,
    `<h1>${escapeHtml(run.jobName)}</h1>
<p class="question">${escapeHtml(run.message)}</p>
<section class="status">
<p class="own" role="status">${escapeHtml(own)}</p>
<p>${escapeHtml(filled(words.found, { found, needed }))}</p>
</section>
${isOver ? '' : mayAnswer ? formOf(run) : `<p>${escapeHtml(words.tooOften)}</p>`}
<p class="soft">${escapeHtml(`${ends}${hasAnswered && mayAnswer && !isOver ? ` ${words.mayChange}` : ''}`)}</p>`,
  );
}

/** For a link that this server did not write or that has expired. */
export function lostPage(why: keyof typeof lostWords): string {
  const [english, swedish] = lostWords[why];
  return page('en', english, `<h1>${escapeHtml(english)}</h1>\n<p lang="sv">${escapeHtml(swedish)}</p>`);
}

function page(language: string, title: string, content: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}

/** The form is sent to the address of the page itself. */
function formOf({ settings }: Run): string {
  const { yes, no } = askedWords(settings);
  return `<form method="post">
<button class="yes" name="answer" value="yes">${escapeHtml(yes)}</button>
<button name="answer" value="no">${escapeHtml(no)}</button>
</form>`;
}

function ownState({ run, person, rank, pending }: RunStatus): string {
  const words = pageWords[run.settings.language];
  if (pending !== undefined) return words.pending;
  if (person.task !== null) return words.held;
  if (person.reserve !== null) return filled(words.reserve, { place: rank });
  if (person.state === 'yes') return words.filled;
  if (person.state === 'no') return words.declined;
  return person.unneeded ? words.unneeded : words.open;
}

function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{([a-z]+)\}/g, (label, name: string) => String(values[name] ?? label));
}

const minuteMs = 60_000;

/** A duration rather than a time, because the reader's time zone is unknown. */
function inMinutes(language: string, ms: number): string {
  const minutes = Math.max(1, Math.round(ms / minuteMs));
  const format = new Intl.RelativeTimeFormat(language);
  if (minutes < 120) return format.format(minutes, 'minute');
  return minutes < 2_880
    ? format.format(Math.round(minutes / 60), 'hour')
    : format.format(Math.round(minutes / 1_440), 'day');
}

interface PageWords {
  /** Precedes the link in the e-mail. */
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
    linkIsYours: 'This link is only for you: anyone who has it can answer for you.',
    found: '{found} of {needed} found',
    ends: 'This request ends {when}.',
    ended: 'This request has ended.',
    open: 'You have not answered yet.',
    held: 'You are on. Thank you!',
    reserve: 'All places are filled. You are reserve no. {place}.',
    filled: 'Thank you, but all places are filled.',
    declined: 'You have said no. We will not count on you.',
    unneeded: 'Enough people have answered. You are not needed this time.',
    pending: 'Your answer has been received.',
    mayChange: 'You can still change your answer.',
    tooOften: 'You have changed your answer too often. Please call instead.',
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

/** An invalid link does not show whose it was, so the reader's language is unknown. */
const lostWords = {
  unknown: [
    'This link is not correct. Open it exactly as it is in the e-mail.',
    'Länken stämmer inte. Öppna den som den står i mejlet.',
  ],
  expired: ['This link has expired. The request is over.', 'Länken har gått ut. Förfrågan är över.'],
} as const;
