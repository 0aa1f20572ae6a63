/** The words of the record of a run, in each language: of its page, and of the details of its entries. */
import type { Language } from '../foundation/language.ts';
import type { MailState } from './mails-store.ts';

type Names = Readonly<Record<string, string>>;

export interface RecordWords {
  readonly run: string;
  readonly ofType: (run: string, type: string) => string;
  readonly started: string;
  readonly startedBy: (time: string, user: string) => string;
  readonly ends: string;
  readonly question: string;
  readonly places: string;
  readonly placeHeads: readonly string[];
  readonly everyone: string;
  readonly ofGoal: (found: number, goal: number) => string;
  readonly notOpened: string;
  readonly people: string;
  readonly personHeads: readonly string[];
  readonly states: Names;
  readonly hasPlace: string;
  readonly reserve: string;
  readonly mails: Readonly<Record<MailState, string>>;
  readonly byLink: (meaning: string) => string;
  readonly happened: string;
  readonly entryHeads: readonly string[];
  readonly kinds: Names;
  readonly by: (user: string) => string;
  readonly phases: Names;
  readonly outcomes: Names;
  readonly task: (number: number) => string;
  /** How answers were understood. */
  readonly meanings: Names;
  readonly zone: (name: string) => string;
}

const english: RecordWords = {
  run: 'Run',
  ofType: (run, type) => `${run}, of the type ${type}`,
  started: 'Started',
  startedBy: (time, user) => `${time} by ${user}`,
  ends: 'Ends',
  question: 'Question',
  places: 'Places',
  placeHeads: ['Task', 'Found', 'Levels opened'],
  everyone: 'everyone',
  ofGoal: (found, goal) => `${found} of ${goal}`,
  notOpened: 'not opened',
  people: 'People',
  personHeads: ['Name', 'Answer', 'Asked', 'Question', 'Wrote'],
  states: {
    waiting: 'was not asked',
    asked: 'has not answered',
    unreachable: 'not reached',
    yes: 'YES',
    no: 'NO',
  },
  hasPlace: 'has a place',
  reserve: 'reserve',
  mails: { waiting: 'mail waiting', taken: 'mail sent', failed: 'mail failed' },
  byLink: (meaning) => `${meaning} by link`,
  happened: 'What happened',
  entryHeads: ['At', 'What', 'Who', 'Why'],
  kinds: {
    start: 'Started',
    ask: 'Asked',
    unreached: 'Not reached',
    reply: 'Answer',
    assign: 'Got a place',
    unassign: 'Lost the place',
    reserve: 'Became a reserve',
    escalate: 'Next level',
    remind: 'Reminded',
    warning: 'Owner warned',
    finish: 'Finished',
    reopen: 'Reopened',
    withdraw: 'Question withdrawn',
    tell: 'Informed',
    act: 'Action by the owner',
    notSent: 'Not sent',
    end: 'Ended',
  },
  by: (user) => `by ${user}`,
  phases: {},
  outcomes: {},
  task: (number) => `task ${number}`,
  meanings: {},
  zone: (name) => (name === 'UTC' ? 'All times are UTC.' : `All times are those of ${name}.`),
};

const swedish: RecordWords = {
  run: 'Larm',
  ofType: (run, type) => `${run}, av typen ${type}`,
  started: 'Började',
  startedBy: (time, user) => `${time}, startat av ${user}`,
  ends: 'Slutar',
  question: 'Fråga',
  places: 'Platser',
  placeHeads: ['Uppgift', 'Funna', 'Öppnade nivåer'],
  everyone: 'alla',
  ofGoal: (found, goal) => `${found} av ${goal}`,
  notOpened: 'inte öppnad',
  people: 'Personer',
  personHeads: ['Namn', 'Svar', 'Tillfrågad', 'Frågan', 'Skrev'],
  states: {
    waiting: 'tillfrågades inte',
    asked: 'har inte svarat',
    unreachable: 'nåddes inte',
    yes: 'JA',
    no: 'NEJ',
  },
  hasPlace: 'har en plats',
  reserve: 'reserv',
  mails: { waiting: 'mejl väntar', taken: 'mejl skickat', failed: 'mejl gick inte fram' },
  byLink: (meaning) => `${meaning === 'yes' ? 'ja' : 'nej'} via länk`,
  happened: 'Vad som hände',
  entryHeads: ['Tid', 'Vad', 'Vem', 'Varför'],
  kinds: {
    start: 'Började',
    ask: 'Tillfrågad',
    unreached: 'Nåddes inte',
    reply: 'Svar',
    assign: 'Fick en plats',
    unassign: 'Miste platsen',
    reserve: 'Blev reserv',
    escalate: 'Nästa nivå',
    remind: 'Påmind',
    warning: 'Varning till den ansvariga',
    finish: 'Klart',
    reopen: 'Öppnat igen',
    withdraw: 'Frågan drogs tillbaka',
    tell: 'Meddelad',
    act: 'Åtgärd',
    notSent: 'Inte skickat',
    end: 'Avslutat',
  },
  by: (user) => `av ${user}`,
  phases: { scheduled: 'schemalagt', open: 'pågår', finished: 'klart', ended: 'avslutat' },
  outcomes: {
    GOAL_REACHED: 'målet nåddes',
    ALL_ANSWERED: 'alla har svarat',
    EXPIRED: 'tiden gick ut',
    CANCELED: 'avblåst',
  },
  task: (number) => `uppgift ${number}`,
  meanings: { yes: 'ja', no: 'nej', comment: 'kommentar', unclear: 'oklart' },
  zone: (name) => `Alla tider är i tidszonen ${name}.`,
};

/** What has no words here is shown in the words of the API. */
export const recordWords: Readonly<Record<Language, RecordWords>> = { en: english, sv: swedish };
