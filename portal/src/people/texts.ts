/** The texts of people and their address books. */
import { type Pair, plural, wordsOf } from '../words/words.ts';

export const usePeopleWords = wordsOf({
  title: ['People', 'Personer'],
  book: ['Address book', 'Adressbok'],
  search: ['Find by name or number', 'Sök på namn eller nummer'],
  searchHint: [
    'The beginning of a name, of any word in it, or of a number.',
    'Början av ett namn, något ord i det, eller ett nummer.',
  ],
  filter: ['Filter by tags', 'Filtrera på taggar'],
  filterHint: [
    'A line with several values matches any of them; several lines must all match.',
    'Flera värden på en rad: något av dem. Flera rader: alla.',
  ],
  written: ['The filter as text', 'Filtret som text'],
  clear: ['Clear', 'Rensa'],
  meets: plural(['# person', '# people'], ['# person', '# personer']),
  reachable: plural(['# with a number', '# with a number'], ['# med nummer', '# med nummer']),
  saved: ['Saved filters', 'Sparade filter'],
  saveAs: ['Save filter as', 'Spara filtret som'],
  save: ['Save', 'Spara'],
  filterSaved: [
    (name: string) => `The filter “${name}” is saved.`,
    (name: string) => `Filtret ”${name}” är sparat.`,
  ],
  filterRemoved: [
    (name: string) => `The filter “${name}” is removed.`,
    (name: string) => `Filtret ”${name}” är borttaget.`,
  ],
  removeFilter: [
    (name: string) => `Remove the filter “${name}”`,
    (name: string) => `Ta bort filtret ”${name}”`,
  ],
  name: ['Name', 'Namn'],
  noName: ['No name', 'Utan namn'],
  number: ['Phone number', 'Telefonnummer'],
  numberHint: [
    (code: string | undefined) =>
      code === undefined
        ? 'With its country code: +46 70 174 06 23.'
        : `A number that begins with a 0 gets +${code} instead.`,
    (code: string | undefined) =>
      code === undefined
        ? 'Med landsnummer: +46 70 174 06 23.'
        : `Ett nummer som börjar med 0 får +${code} i stället för nollan.`,
  ],
  email: ['E-mail address', 'E-postadress'],
  externalId: ['Id in your own lists', 'Eget id'],
  externalIdHint: [
    'The person’s id in your own lists. People who share a number need an id each.',
    'Personens id i era egna listor. De som delar ett nummer behöver var sitt.',
  ],
  app: ['App address', 'Appadress'],
  tags: ['Tags', 'Taggar'],
  addTag: ['Add a tag', 'Lägg till en tagg'],
  addTagHint: ['Type and value, such as role:nurse.', 'Typ och värde, till exempel roll:sköterska.'],
  badTag: [
    'A tag is a type and a value, such as role:nurse.',
    'En tagg är en typ och ett värde, till exempel roll:sköterska.',
  ],
  add: ['Add', 'Lägg till'],
  removeTag: [(tag: string) => `Remove the tag ${tag}`, (tag: string) => `Ta bort taggen ${tag}`],
  newPerson: ['New person', 'Ny person'],
  import: ['Import', 'Importera'],
  export: ['Export', 'Exportera'],
  groups: ['Groups', 'Grupper'],
  nobody: ['This address book is empty', 'Adressboken är tom'],
  nobodyText: [
    'Import a list from a spreadsheet, or add people one by one.',
    'Importera en lista från ett kalkylblad, eller lägg till en i taget.',
  ],
  nobodyReader: [
    'An administrator of your company can add people.',
    'En administratör i ert företag lägger till personer.',
  ],
  noneFound: ['Nobody found', 'Ingen hittades'],
  noneFor: [(text: string) => `Nobody found for “${text}”`, (text: string) => `Ingen hittades för ”${text}”`],
  noneFoundText: [
    'Try the beginning of another name, or fewer tags.',
    'Pröva början av ett annat namn, eller färre taggar.',
  ],
  noBook: ['You have no access to an address book', 'Du har inte tillgång till någon adressbok'],
  noBookText: [
    'An administrator of your company makes address books and decides who may read them.',
    'En administratör i ert företag lägger upp adressböcker och bestämmer vem som får läsa dem.',
  ],
  back: ['People', 'Personer'],
  managed: [
    'This person’s details are managed by the operator. Ask the operator to change them.',
    'Uppgifterna hanteras av driften. Be driften om ändringar.',
  ],
  made: ['Added.', 'Tillagd.'],
  changed: ['Saved.', 'Sparat.'],
  removed: ['Removed.', 'Borttagen.'],
  remove: ['Remove', 'Ta bort'],
  removeSure: [
    (name: string) => `Remove ${name}? Tags and group memberships are removed too; messages stay.`,
    (name: string) =>
      `Ta bort ${name}? Taggar och medlemskap i grupper tas också bort; meddelanden finns kvar.`,
  ],
  removeGroupSure: [
    (name: string) =>
      `Remove the group ${name}? Everybody in it stays in the address book. This can’t be undone.`,
    (name: string) => `Ta bort gruppen ${name}? Alla i den är kvar i adressboken. Det går inte att ångra.`,
  ],
  undoSure: [
    (file: string) =>
      `Undo everything that the import of ${file} did? The people that it added are removed, even from groups, and an import that is still running is stopped. This can’t be undone.`,
    (file: string) =>
      `Ångra allt som importen av ${file} gjorde? De som lades till tas bort, också ur grupper, och en import som pågår stoppas. Det kan inte göras ogjort.`,
  ],
  notSaved: ['Not saved yet.', 'Inte sparat ännu.'],
  dropDraft: ['Discard my changes', 'Släng mina ändringar'],
  somebodyFirst: ['Someone else changed this first', 'Någon annan hann före'],
  somebodyFirstText: [
    'This person was changed while you were typing. Nothing you typed has been saved yet.',
    'Personen ändrades medan du skrev. Dina ändringar är inte sparade än.',
  ],
  keepMine: ['Save mine anyway', 'Spara mina ändå'],
  takeTheirs: ['Use theirs', 'Använd deras'],
  messages: ['Latest messages', 'Senaste meddelandena'],
  toConversation: ['Conversation with this number', 'Konversation med numret'],
  noMessages: ['Nothing has been sent to this number yet', 'Inget har skickats till numret än'],
  noMessagesText: ['Messages to it appear here.', 'Meddelanden till numret syns här.'],
  status: ['Status', 'Status'],
  accepted: ['Accepted', 'Inlämnat'],
  importTitle: ['Import people', 'Importera personer'],
  importLead: [
    'A list from a spreadsheet, saved as CSV. You see what would happen before anything is saved.',
    'En lista från ett kalkylblad, sparad som CSV. Du ser vad som skulle hända innan något sparas.',
  ],
  choose: ['Choose a file', 'Välj en fil'],
  drop: ['or drop it here', 'eller släpp den här'],
  tooLarge: [
    'The file is larger than 32 MiB. Split it, or import only the columns that are needed.',
    'Filen är större än 32 MiB. Dela den, eller importera bara de kolumner som behövs.',
  ],
  columns: ['Columns', 'Kolumner'],
  steps: ['Steps', 'Steg'],
  stepNames: {
    file: ['File', 'Fil'],
    columns: ['Columns', 'Kolumner'],
    check: ['Check', 'Granska'],
    import: ['Import', 'Importera'],
  },
  nextStep: [(step: string) => `Next: ${step}`, (step: string) => `Nästa: ${step}`],
  rows: plural(['# row', '# rows'], ['# rad', '# rader']),
  readAs: [
    (encoding: string, delimiter: string) => `${encoding}, columns separated by ${delimiter}`,
    (encoding: string, delimiter: string) => `${encoding}, kolumner åtskilda med ${delimiter}`,
  ],
  delimiters: {
    ';': ['semicolons', 'semikolon'],
    '\t': ['tabs', 'tabbar'],
    ',': ['commas', 'komma'],
  },
  headRow: ['The column names are in row', 'Kolumnnamnen står på rad'],
  headRowHint: ['The rows above it are passed over.', 'Raderna ovanför hoppas över.'],
  needsKey: [
    'Choose the column with the phone number, the e-mail address or the id: people are recognised by it.',
    'Välj kolumnen med telefonnummer, e-postadress eller id: den används för att känna igen personer.',
  ],
  joinedWith: ['Joined with', 'Ihop med'],
  nothingElse: ['nothing else', 'inget annat'],
  noNames: [
    'No column is the name: new people will have none, and are shown by number only.',
    'Ingen kolumn är namnet: nya personer får inget namn och visas bara med nummer.',
  ],
  causes: {
    countryCode: plural(
      ['# number begins with 0', '# numbers begin with 0'],
      ['# nummer börjar med 0', '# nummer börjar med 0'],
    ),
    number: plural(
      ['# phone number is wrong', '# phone numbers are wrong'],
      ['# telefonnummer är fel', '# telefonnummer är fel'],
    ),
    email: plural(
      ['# e-mail address is wrong', '# e-mail addresses are wrong'],
      ['# e-postadress är fel', '# e-postadresser är fel'],
    ),
    text: plural(
      ['# row has a text that can’t be kept', '# rows have a text that can’t be kept'],
      ['# rad har en text som inte kan sparas', '# rader har en text som inte kan sparas'],
    ),
    tags: plural(
      ['# row has wrong tags', '# rows have wrong tags'],
      ['# rad har fel i taggarna', '# rader har fel i taggarna'],
    ),
    noKey: plural(
      ['# row has no number, e-mail address or id', '# rows have no number, e-mail address or id'],
      ['# rad saknar nummer, e-postadress och id', '# rader saknar nummer, e-postadress och id'],
    ),
    twice: plural(
      ['# row has a person who is already in the file', '# rows have people who are already in the file'],
      ['# rad har en person som redan finns i filen', '# rader har personer som redan finns i filen'],
    ),
    shifted: plural(
      ['# row has cells outside the columns', '# rows have cells outside the columns'],
      ['# rad har celler utanför kolumnerna', '# rader har celler utanför kolumnerna'],
    ),
  },
  lines: [(count: number) => (count === 1 ? 'Row' : 'Rows'), () => 'Rad'],
  beginWith: [(code: string) => `Use +${code}`, (code: string) => `Använd +${code}`],
  eachFault: ['Problems row by row', 'Felen rad för rad'],
  columnIs: [(head: string) => `The column “${head}” is`, (head: string) => `Kolumnen ”${head}” är`],
  unnamed: ['without a name', 'utan namn'],
  fields: {
    '-': ['not imported', 'importeras inte'],
    id: ['the id in your own lists', 'eget id'],
    name: ['the name', 'namnet'],
    phone: ['the phone number', 'telefonnumret'],
    email: ['the e-mail address', 'e-postadressen'],
    app: ['the app address', 'appadressen'],
    tags: ['tags', 'taggar'],
  } as Readonly<Record<string, Pair>>,
  tagsOf: [(type: string) => `tags of the type “${type}”`, (type: string) => `taggar av typen ”${type}”`],
  preview: ['What would happen', 'Vad som skulle hända'],
  did: ['Result', 'Resultat'],
  created: plural(['# new', '# new'], ['# ny', '# nya']),
  changedCount: plural(['# changed', '# changed'], ['# ändrad', '# ändrade']),
  unchanged: plural(['# unchanged', '# unchanged'], ['# utan ändring', '# utan ändring']),
  managedCount: plural(
    ['# managed by the operator', '# managed by the operator'],
    ['# hanteras av driften', '# hanteras av driften'],
  ),
  faulty: plural(['# row with problems', '# rows with problems'], ['# rad med fel', '# rader med fel']),
  skippedRows: plural(
    ['# row is skipped', '# rows are skipped'],
    ['# rad hoppas över', '# rader hoppas över'],
  ),
  line: ['Line', 'Rad'],
  fault: ['What is wrong', 'Vad som är fel'],
  skipFaulty: [
    'Import the other rows, and skip those with problems',
    'Importera de andra raderna och hoppa över dem med fel',
  ],
  doImport: plural(['Import # person', 'Import # people'], ['Importera # person', 'Importera # personer']),
  nothingToImport: [
    'Everything in the file is already in the address book.',
    'Allt i filen finns redan i adressboken.',
  ],
  importing: ['Importing…', 'Importerar…'],
  looking: ['Checking the file…', 'Granskar filen…'],
  imported: [
    (created: string, changed: string) => `Imported: ${created}, ${changed}.`,
    (created: string, changed: string) => `Importerat: ${created}, ${changed}.`,
  ],
  imports: ['Imports of the last 24 hours', 'Importer det senaste dygnet'],
  file: ['File', 'Fil'],
  by: ['By', 'Av'],
  when: ['When', 'När'],
  undo: ['Undo', 'Ångra'],
  undone: plural(
    ['Undone for # person.', 'Undone for # people.'],
    ['Ångrat för # person.', 'Ångrat för # personer.'],
  ),
  states: {
    underWay: ['In progress', 'Pågår'],
    done: ['Done', 'Klar'],
    undone: ['Undone', 'Ångrad'],
  },
  noGroups: ['There are no groups yet', 'Det finns inga grupper än'],
  noGroupsText: [
    'A group is a list of people that you can send to by its name.',
    'En grupp är en lista med personer som du kan skicka till med gruppens namn.',
  ],
  group: ['Group', 'Grupp'],
  newGroup: ['New group', 'Ny grupp'],
  makeGroup: ['Create the group', 'Skapa gruppen'],
  members: ['Members', 'Medlemmar'],
  noMembers: ['This group is empty', 'Gruppen är tom'],
  addMember: ['Add by number', 'Lägg till med nummer'],
  takeOut: [
    (name: string) => `Remove ${name} from the group`,
    (name: string) => `Ta bort ${name} ur gruppen`,
  ],
  removeGroup: ['Remove the group', 'Ta bort gruppen'],
  managedGroup: [
    'This group is managed by the operator. Ask the operator to change it.',
    'Gruppen hanteras av driften. Be driften om ändringar.',
  ],
  addToGroup: ['Add to a group', 'Lägg till i en grupp'],
  addedToGroup: [(group: string) => `Added to “${group}”.`, (group: string) => `Tillagd i ”${group}”.`],
});

const [rows, rowsSv] = plural(['# entry', '# entries'], ['# uppgift', '# uppgifter']);

/** The texts of the page about one phone number. */
export const useNumberWords = wordsOf({
  lead: ['Everything stored about this number.', 'Allt som finns sparat om det här numret.'],
  toAll: ['Everything about this number', 'Allt om det här numret'],
  contacts: ['In address books', 'I adressböckerna'],
  noContacts: [
    'Nobody in your address books has this number.',
    'Ingen i dina adressböcker har det här numret.',
  ],
  conversations: ['Conversations', 'Konversationer'],
  earlierConversations: ['Earlier conversations too', 'Även tidigare'],
  with: [
    (number: string, user: string) => `with ${number}, ${user}`,
    (number: string, user: string) => `med ${number}, ${user}`,
  ],
  unread: plural(['# unread', '# unread'], ['# oläst', '# olästa']),
  sent: ['Sent to the number', 'Skickat till numret'],
  noSent: ['Nothing has been sent to this number', 'Inget har skickats hit'],
  noSentText: [
    'Or the messages were sent so long ago that they are no longer kept.',
    'Eller så skickades det för så länge sedan att meddelandena inte längre sparas.',
  ],
  received: ['Received from the number', 'Mottaget från numret'],
  noReceived: ['Nothing has been received from this number', 'Inget har mottagits härifrån'],
  noReceivedText: ['Answers from the phone appear here.', 'Svar från telefonen visas här.'],
  time: ['When', 'När'],
  status: ['Status', 'Status'],
  what: ['As part of', 'Som del av'],
  batch: ['A batch', 'Ett utskick'],
  message: ['Message', 'Meddelande'],
  others: [(user: string) => `To ${user}`, (user: string) => `Till ${user}`],
  answers: {
    waiting: ['not asked', 'inte tillfrågad'],
    asked: ['asked', 'tillfrågad'],
    unreachable: ['not reached', 'inte nådd'],
    yes: ['YES', 'JA'],
    no: ['NO', 'NEJ'],
  },
  export: ['Export', 'Exportera'],
  erase: ['Erase', 'Radera'],
  eraseTitle: ['Erase everything about this number?', 'Radera allt om det här numret?'],
  eraseText: [
    'For someone who asks to be forgotten. Contacts, messages in both directions, conversations and answers are erased for all users of the company; waiting messages are cancelled. Totals and costs stay. This can’t be undone.',
    'För någon som vill bli bortglömd. Kontakter, meddelanden åt båda hållen, konversationer och svar raderas för alla användare i företaget; väntande meddelanden stoppas. Summor och kostnader finns kvar. Det går inte att ångra.',
  ],
  confirm: ['Type the number to confirm', 'Skriv numret för att bekräfta'],
  begun: ['Erasing has started.', 'Raderingen har börjat.'],
  underWay: [
    (erased: number) => `This number is being erased: ${rows(erased)} so far.`,
    (erased: number) => `Numret raderas: ${rowsSv(erased)} hittills.`,
  ],
  waits: [
    (things: string) =>
      `Still stored: ${things}. What is still needed is erased later; a text with the number stays until you change it. Erase again to check at once.`,
    (things: string) =>
      `Finns ännu kvar: ${things}. Det som behövs en tid raderas av sig självt; en text som nämner numret raderas när du ändrar den. Radera igen för att kontrollera genast.`,
  ],
  kept: {
    messages: plural(['# message', '# messages'], ['# meddelande', '# meddelanden']),
    runs: plural(['# place in a run', '# places in runs'], ['# plats i ett larm', '# platser i larm']),
    batches: plural(
      ['# part of a batch', '# parts of batches'],
      ['# del av ett utskick', '# delar av utskick'],
    ),
    contacts: plural(
      ['# person kept by your operator', '# people kept by your operator'],
      ['# person som driften sköter', '# personer som driften sköter'],
    ),
    imports: plural(
      ['# line of an import', '# lines of imports'],
      ['# rad i en import', '# rader i importer'],
    ),
    jobs: plural(['# saved job', '# saved jobs'], ['# sparat jobb', '# sparade jobb']),
    templates: plural(
      ['# version of a template', '# versions of templates'],
      ['# version av en mall', '# versioner av mallar'],
    ),
    mails: plural(['# e-mail', '# e-mails'], ['# mejl', '# mejl']),
    webhooks: plural(
      ['# event of a webhook', '# events of webhooks'],
      ['# händelse för en webhook', '# händelser för webhookar'],
    ),
    answers: plural(
      ['# answer kept for a retry', '# answers kept for retries'],
      ['# svar som sparas för omförsök', '# svar som sparas för omförsök'],
    ),
    optOuts: plural(
      ['# text of an opt-out', '# texts of opt-outs'],
      ['# text i en avanmälan', '# texter i avanmälningar'],
    ),
    alerts: plural(['# text of an alert', '# texts of alerts'], ['# text i ett larm', '# texter i larm']),
    settings: plural(['# setting', '# settings'], ['# inställning', '# inställningar']),
  },
  optedOut: ['Opted out:', 'Avanmält:'],
  mayOptOut: [
    'An SMS may mean an opt-out, and waits for your decision.',
    'Ett sms kan vara en avanmälan och väntar på ert beslut.',
  ],
  optOutOf: {
    all: ['any SMS', 'alla sms'],
    essential: ['essential SMS', 'viktiga sms'],
    notification: ['notifications', 'aviseringar'],
    marketing: ['marketing', 'reklam'],
  },
  seeOptOuts: ['See the opt-out', 'Se avanmälan'],
  heldOn: ['The opt-out still holds, without the number.', 'Avanmälan gäller fortfarande, utan numret.'],
  done: [
    (at: string) => `Everything about this number was erased: ${at}.`,
    (at: string) => `Allt om det här numret har raderats: ${at}.`,
  ],
});
