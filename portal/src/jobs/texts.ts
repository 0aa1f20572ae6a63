/** The texts of saved jobs and their runs. */
import { numberFormats, plural, wordsOf } from '../words/words.ts';

const en = numberFormats.en.format;
const sv = numberFormats.sv.format;
const [people, peopleSv] = plural(['# person', '# people'], ['# person', '# personer']);
const [sms, smsSv] = plural(['# SMS part', '# SMS parts'], ['# sms-del', '# sms-delar']);

/** `12 min 05 s`; from an hour on, the seconds say nothing. */
function duration(seconds: number, day: string, hour: string): string {
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600)];
  if (hours >= 48) return `${Math.floor(hours / 24)} ${day}`;
  if (hours > 0) return `${hours} ${hour} ${minutes % 60} min`;
  const rest = String(seconds % 60);
  return minutes > 0 ? `${minutes} min ${rest.padStart(2, '0')} s` : `${rest} s`;
}

export const useJobWords = wordsOf({
  title: ['Jobs', 'Jobb'],
  lead: ['Ask people by SMS, and see who is coming.', 'Fråga personer per sms och se vilka som kommer.'],
  underWay: ['Under way', 'Pågår'],
  start: ['Start', 'Starta'],
  toStart: ['Start …', 'Starta …'],
  startOf: [(name: string) => `Start ${name} …`, (name: string) => `Starta ${name} …`],
  earlier: ['Earlier', 'Tidigare'],
  search: ['Search jobs', 'Sök bland jobben'],
  name: ['Name', 'Namn'],
  type: ['Type', 'Typ'],
  action: ['Action', 'Åtgärd'],
  startedLast: ['started by you recently', 'startat av dig nyligen'],
  moreJobs: ['Show more jobs', 'Visa fler jobb'],
  noJobs: [
    'There is no saved job that you may start. An administrator makes them.',
    'Det finns inget sparat jobb som du får starta. En administratör lägger upp dem.',
  ],
  noneFound: ['No job has this name.', 'Inget jobb heter så.'],
  noneEarlier: ['No job has ended yet.', 'Inget larm har avslutats än.'],
  outcome: ['Outcome', 'Utfall'],
  foundOf: ['Found', 'Klara'],
  by: ['By', 'Av'],
  started: ['Started', 'Startade'],
  places: [
    (found: number, goal: number | undefined) =>
      goal === undefined ? `${en(found)} YES` : `${en(found)} of ${en(goal)} found`,
    (found: number, goal: number | undefined) =>
      goal === undefined ? `${sv(found)} ja` : `${sv(found)} av ${sv(goal)} klara`,
  ],
  silent: plural(['# without an answer', '# without an answer'], ['# utan svar', '# utan svar']),
  phases: {
    scheduled: ['Scheduled', 'Schemalagt'],
    open: ['Open', 'Öppet'],
    finished: ['Finished', 'Klart'],
    ended: ['Ended', 'Avslutat'],
  },
  lacks: ['Lacks people', 'Saknar folk'],
  outcomes: {
    GOAL_REACHED: ['Goal reached', 'Målet nått'],
    ALL_ANSWERED: ['All answered', 'Alla har svarat'],
    EXPIRED: ['Time ran out', 'Tiden gick ut'],
    CANCELED: ['Called off', 'Avblåst'],
  },
  endedAt: [(time: string) => `ended ${time}`, (time: string) => `slutade ${time}`],
  endsAt: [(time: string) => `ends ${time}`, (time: string) => `slutar ${time}`],
  startsAt: [(time: string) => `starts ${time}`, (time: string) => `börjar ${time}`],
  duration: [
    (seconds: number) => duration(seconds, 'days', 'h'),
    (seconds: number) => duration(seconds, 'dagar', 'tim'),
  ],

  toJobs: ['Jobs', 'Jobb'],
  whatTheyGet: ['What they get', 'Det här får de'],
  cannotStart: ['It can’t be started:', 'Det går inte att starta:'],
  onlyThisTime: ['Only this time', 'Bara den här gången'],
  isChanged: ['changed', 'ändrat'],
  rehearsing: ['Checking who is asked …', 'Kontrollerar vilka som tillfrågas …'],
  startNowFor: [
    (count: number, isMore: boolean) => `Start: ask ${isMore ? 'more than ' : ''}${people(count)} now`,
    (count: number, isMore: boolean) => `Starta: fråga ${isMore ? 'fler än ' : ''}${peopleSv(count)} nu`,
  ],
  startAtFor: [
    (count: number, isMore: boolean, time: string) =>
      `Schedule: ask ${isMore ? 'more than ' : ''}${people(count)} ${time}`,
    (count: number, isMore: boolean, time: string) =>
      `Schemalägg: fråga ${isMore ? 'fler än ' : ''}${peopleSv(count)} ${time}`,
  ],
  allTheSame: ['Start all the same?', 'Starta ändå?'],
  startAllTheSame: ['Start all the same', 'Starta ändå'],
  shortfall: [
    (reached: number, goal: number) =>
      `At most ${en(reached)} of ${en(goal)} can be reached, so the goal can’t be met.`,
    (reached: number, goal: number) =>
      `Högst ${sv(reached)} av ${sv(goal)} går att nå, så målet kan inte uppfyllas.`,
  ],
  alreadyRunning: ['This job is already under way:', 'Det här jobbet pågår redan:'],
  startedBy: [
    (who: string, time: string) => `${who}, ${time}`,
    (who: string, time: string) => `${who}, ${time}`,
  ],
  whoIsAsked: ['Who is asked', 'Vilka som tillfrågas'],
  partsNow: [
    (first: number, all: number) => (first === all ? sms(all) : `${sms(first)} now, ${en(all)} at most`),
    (first: number, all: number) => (first === all ? smsSv(all) : `${smsSv(first)} nu, högst ${sv(all)}`),
  ],
  mailsNow: [
    (first: number, all: number) => `e-mails: ${en(first)} now, ${en(all)} at most`,
    (first: number, all: number) => `e-post: ${sv(first)} nu, högst ${sv(all)}`,
  ],
  atOnce: ['at once', 'genast'],
  later: ['later', 'senare'],
  afterMinutes: [(minutes: number) => `after ${minutes} min`, (minutes: number) => `efter ${minutes} min`],
  people: [people, peopleSv],
  goal: [(goal: number) => `Goal: ${people(goal)}`, (goal: number) => `Mål: ${peopleSv(goal)}`],
  canBeMet: ['can be met', 'kan uppfyllas'],
  noGoal: ['No goal: everyone who answers YES is counted.', 'Inget mål: alla som svarar ja räknas.'],
  quotaLeft: [
    (left: string) => `${left} SMS parts left in the quota`,
    (left: string) => `${left} sms-delar kvar av kvoten`,
  ],
  quotaShort: [
    (left: string, all: string) =>
      `The quota has ${left} SMS parts left, and asking everybody takes ${all}. Not everybody can be asked.`,
    (left: string, all: string) =>
      `Kvoten har ${left} sms-delar kvar, och att fråga alla tar ${all}. Alla kan inte tillfrågas.`,
  ],
  mailsShort: [
    (left: string, all: string) =>
      `${left} e-mails may still be sent today, and asking everybody takes ${all}. Not everybody can be asked.`,
    (left: string, all: string) =>
      `${left} mejl får ännu skickas i dag, och att fråga alla tar ${all}. Alla kan inte tillfrågas.`,
  ],
  notMatching: plural(
    [
      '# person is not asked, outside the filter of the type',
      '# people are not asked, outside the filter of the type',
    ],
    ['# person tillfrågas inte, utanför typens filter', '# personer tillfrågas inte, utanför typens filter'],
  ),
  leftOut: plural(
    ['# person is left out', '# people are left out'],
    ['# person utelämnas', '# personer utelämnas'],
  ),
  whyLeftOut: {
    excluded: ['excluded', 'undantagen'],
    twice: ['asked already', 'tillfrågas redan'],
    'no phone number': ['has no phone number', 'saknar telefonnummer'],
  },
  others: plural(['and # more', 'and # more'], ['och # till', 'och # till']),
  everybody: plural(
    ['See # person in order', 'See all # people in order'],
    ['Visa # person', 'Visa alla # i ordning'],
  ),
  cannotBeAsked: plural(
    ['# can’t be reached', '# can’t be reached'],
    ['# går inte att nå', '# går inte att nå'],
  ),
  to: ['To', 'Till'],
  levelTitle: ['Level', 'Nivå'],
  level: [(level: number) => `level ${level}`, (level: number) => `nivå ${level}`],
  message: ['Text', 'Text'],
  runName: ['Name of this run', 'Larmets namn'],
  startAt: ['Start at', 'Starta kl.'],
  startAtHint: [
    (zone: string) => `Empty: now. Times are in ${zone}.`,
    (zone: string) => `Tomt: nu. Tiderna gäller ${zone}.`,
  ],
  asSaved: ['Back to what is saved', 'Tillbaka till det sparade'],
  goalField: ['Goal', 'Mål'],
  whom: ['Who to ask', 'Vilka som ska tillfrågas'],
  keeps: ['Ask the saved people too', 'Fråga även de sparade personerna'],
  excluded: ['Numbers not to ask', 'Nummer som inte ska tillfrågas'],
  excludedHint: ['Separated by commas or lines', 'Med komma eller radbrytning emellan'],
  excludeFilter: ['Filter of people not to ask', 'Filter för dem som inte ska tillfrågas'],
  filterHint: ['Such as role:nurse,doctor;ward:7', 'Till exempel role:nurse,doctor;ward:7'],
  otherFilter: ['Filter of people to ask instead', 'Filter för dem som ska tillfrågas i stället'],
  together: ['Together with the filter only', 'Bara tillsammans med filtret'],

  held: [
    'You have ten seconds to undo. Nobody has been asked yet.',
    'Du har tio sekunder på dig att ångra. Ingen har tillfrågats än.',
  ],
  startNow: ['Start now', 'Starta nu'],
  starting: ['Starting …', 'Startar …'],
  interrupted: [
    'The page was closed before the ten seconds were over, so nothing was started.',
    'Sidan stängdes innan de tio sekunderna hade gått, så inget startades.',
  ],
  leaveStart: ['Don’t start', 'Starta inte'],
  doubtful: [
    'The connection broke before the answer came, so it is not known whether the job started. Start again: what has started is not started twice.',
    'Anslutningen bröts innan svaret kom, så det är oklart om jobbet startade. Starta igen: det som har startat startas inte två gånger.',
  ],
  doubtfulSaid: [
    'Start again in a moment: what has started is not started twice.',
    'Starta igen om en stund: det som har startat startas inte två gånger.',
  ],
  startAgain: ['Start again', 'Starta igen'],
  outdated: [
    'The connection broke before the answer came, too long ago to start again safely. See under Jobs whether it started.',
    'Anslutningen bröts innan svaret kom, och det är för länge sedan för att säkert kunna starta igen. Se under Jobb om det startade.',
  ],
  elsewhere: [
    'A job is being started in another tab of this browser. This tab waits until that is done.',
    'Ett jobb startas i en annan flik i webbläsaren. Den här fliken väntar tills det är klart.',
  ],
  otherJob: ['This is about another job:', 'Det här gäller ett annat jobb:'],
  heldElsewhere: plural(
    [
      'The job starts in # second. Nobody has been asked yet.',
      'The job starts in # seconds. Nobody has been asked yet.',
    ],
    [
      'Jobbet startar om # sekund. Ingen har tillfrågats än.',
      'Jobbet startar om # sekunder. Ingen har tillfrågats än.',
    ],
  ),
  refusedElsewhere: ['The job did not start.', 'Jobbet startade inte.'],
  doubtfulElsewhere: [
    'It is not known whether the job started. Continue on the page of the job.',
    'Det är oklart om jobbet startade. Fortsätt på jobbets sida.',
  ],
  startedElsewhere: [(name: string) => `${name} has started.`, (name: string) => `${name} har startat.`],
  openBoard: ['Show', 'Visa'],

  run: ['Run', 'Larm'],
  figures: ['State', 'Läget'],
  ofGoal: [
    (found: number, goal: number) => `${en(found)} of ${en(goal)}`,
    (found: number, goal: number) => `${sv(found)} av ${sv(goal)}`,
  ],
  yesCount: [(count: number) => `${en(count)} YES`, (count: number) => `${sv(count)} ja`],
  short: [
    'People are lacking: even if all who can still answer say YES, the goal is not reached.',
    'Det saknas folk: även om alla som ännu kan svara säger ja nås inte målet.',
  ],
  goalReached: [
    'The goal is reached. A person who answers NO before the end gives the place back.',
    'Målet är nått. Den som svarar nej före slutet lämnar tillbaka platsen.',
  ],
  allAnswered: [
    'Everybody has answered. Until the end, an answer can still be changed.',
    'Alla har svarat. Till slutet går det att ändra sitt svar.',
  ],
  notStarted: ['Nobody has been asked yet.', 'Ingen har tillfrågats än.'],
  endedAs: {
    GOAL_REACHED: ['The run has ended: the goal was reached.', 'Larmet är avslutat: målet nåddes.'],
    ALL_ANSWERED: ['The run has ended: everybody has answered.', 'Larmet är avslutat: alla har svarat.'],
    EXPIRED: ['The run has ended: its time ran out.', 'Larmet är avslutat: tiden gick ut.'],
    CANCELED: ['The run was called off.', 'Larmet är avblåst.'],
  },
  notLive: [
    (time: string) => `Not live since ${time}. The page reads the state every five seconds.`,
    (time: string) => `Inte direkt sedan ${time}. Sidan hämtar läget var femte sekund.`,
  ],
  filters: ['Show only', 'Visa bara'],
  groups: {
    yes: ['YES', 'Ja'],
    no: ['NO', 'Nej'],
    asked: ['Silent', 'Tysta'],
    unreachable: ['Not reached', 'Nås inte'],
    waiting: ['Not asked yet', 'Inte tillfrågade'],
  },
  /** The same for the state of a single person. */
  personStates: {
    yes: ['YES', 'Ja'],
    no: ['NO', 'Nej'],
    asked: ['Silent', 'Har inte svarat'],
    unreachable: ['Not reached', 'Nås inte'],
    waiting: ['Not asked yet', 'Inte tillfrågad'],
  },
  groupTitle: [
    (group: string, count: number) => `${group} (${en(count)})`,
    (group: string, count: number) => `${group} (${sv(count)})`,
  ],
  unclear: ['Wrote, not clear', 'Skrev något oklart'],
  countAsYes: ['Count as YES', 'Räkna som ja'],
  countAsYesOf: [(name: string) => `Count as YES for ${name}`, (name: string) => `Räkna som ja för ${name}`],
  countAsNo: ['Count as NO', 'Räkna som nej'],
  countAsNoOf: [(name: string) => `NO for ${name}`, (name: string) => `Nej för ${name}`],
  no: ['NO', 'Nej'],
  reply: ['Reply', 'Svara'],
  replyOf: [(name: string) => `Reply to ${name}`, (name: string) => `Svara ${name}`],
  takeBack: ['Take the YES back', 'Ta tillbaka ja-svaret'],
  write: ['Write', 'Skriv'],
  takingIn: ['being taken in …', 'tas emot …'],
  reserve: [(place: number) => `reserve no. ${place}`, (place: number) => `reserv nr ${place}`],
  reserveTitle: ['Reserve', 'Reserv'],
  status: ['State', 'Status'],
  place: ['Place', 'Plats'],
  hasPlace: ['has one', 'har en'],
  answeredAt: ['Answered', 'Svarade'],
  askedAt: ['Asked', 'Tillfrågad'],
  delivery: ['Delivery', 'Leverans'],
  mails: {
    waiting: ['E-mail waiting', 'E-post väntar'],
    taken: ['E-mail sent', 'E-post skickad'],
    failed: ['E-mail failed', 'E-post misslyckades'],
  },
  email: ['E-mail', 'E-post'],
  aboutNumber: ['Everything about this number', 'Allt om numret'],

  acts: ['Actions', 'Åtgärder'],
  more: ['Actions …', 'Åtgärder …'],
  record: ['Record, to print', 'Protokoll att skriva ut'],
  recordCsv: ['Record as CSV', 'Protokoll som CSV'],
  copyLink: ['Copy link', 'Kopiera länk'],
  wall: ['Show on a wall screen', 'Visa på väggskärm'],
  allAsked: ['Everybody has been asked.', 'Alla har tillfrågats.'],
  notAskedYet: plural(
    ['# person has not been asked yet.', '# people have not been asked yet.'],
    ['# person har inte tillfrågats än.', '# personer har inte tillfrågats än.'],
  ),
  nextLevel: [
    (count: number, time: string) => `${people(count)} more will be asked ${time}.`,
    (count: number, time: string) => `${peopleSv(count)} till tillfrågas ${time}.`,
  ],
  askNow: ['Ask them now', 'Fråga dem nu'],
  askMore: plural(['Ask # more person?', 'Ask # more people?'], ['Fråga # till?', 'Fråga # till?']),
  costOfAsking: [
    (parts: number) => `It costs about ${sms(parts)}.`,
    (parts: number) => `Det kostar ungefär ${smsSv(parts)}.`,
  ],
  writeMany: ['Write …', 'Skriv …'],
  writeTo: ['Write to the people', 'Skriv till personerna'],
  writeToOne: [(name: string) => `Write to ${name}`, (name: string) => `Skriv till ${name}`],
  audiences: {
    silent: ['Silent', 'Tysta'],
    assigned: ['With a place', 'Med plats'],
    all: ['All', 'Alla'],
  },
  text: ['Text', 'Text'],
  nobodyYet: ['Nothing to send yet.', 'Inget att skicka än.'],
  cost: [
    (count: number, parts: number) => `To ${people(count)}: ${sms(parts)}`,
    (count: number, parts: number) => `Till ${peopleSv(count)}: ${smsSv(parts)}`,
  ],
  send: ['Send', 'Skicka'],
  textIsSent: [
    (count: number) => `Your text is being sent to ${people(count)}.`,
    (count: number) => `Texten skickas till ${peopleSv(count)}.`,
  ],
  extend: ['Extend by minutes', 'Förläng med minuter'],
  extendBy: [
    (minutes: number) => `Extend by ${minutes} minutes`,
    (minutes: number) => `Förläng med ${minutes} minuter`,
  ],
  endRun: ['End', 'Avsluta'],
  cancelStart: ['Cancel the start', 'Ställ in starten'],
  endTitle: [(name: string) => `End ${name}?`, (name: string) => `Avsluta ${name}?`],
  goOn: ['Go on', 'Fortsätt'],
  endText: [
    'Everybody who still expects to be needed is told that it is called off. It can’t be undone.',
    'Alla som ännu kan vänta sig att behövas får veta att det är inställt. Det går inte att ångra.',
  ],
  cancelStartText: ['Nobody is asked.', 'Ingen tillfrågas.'],

  timeline: ['What has happened', 'Det som har hänt'],
  byUser: [(who: string) => `by ${who}`, (who: string) => `av ${who}`],
  events: {
    start: ['Started', 'Startade'],
    ask: ['Asked', 'Tillfrågade'],
    unreached: ['Not reached', 'Nåddes inte'],
    reply: ['Answer', 'Svar'],
    assign: ['Got a place', 'Fick en plats'],
    unassign: ['Lost the place', 'Lämnade platsen'],
    reserve: ['Became a reserve', 'Blev reserv'],
    escalate: ['Next level', 'Nästa nivå'],
    remind: ['Reminded', 'Påminnelse'],
    warning: ['Owner warned', 'Varning till ägaren'],
    finish: ['Finished', 'Klart'],
    reopen: ['Reopened', 'Öppnat igen'],
    withdraw: ['Question withdrawn', 'Frågan återtagen'],
    tell: ['Informed', 'Meddelade'],
    act: ['Action by the owner', 'Åtgärd'],
    notSent: ['Not sent', 'Inte skickat'],
    end: ['Ended', 'Avslutat'],
  },
});
export const jobWordsNow = useJobWords.now;
