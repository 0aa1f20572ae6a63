/** The texts of the e-mail sender pages. */
import { plural, wordsOf } from '../words/words.ts';

export const useEmailWords = wordsOf({
  title: ['E-mail senders', 'E-postavsändare'],
  lead: [
    'Who may send SMS by writing an e-mail to a phone number, and how those SMS are sent.',
    'Vilka som får skicka sms genom att mejla till ett telefonnummer, och hur de sms:en skickas.',
  ],
  noRight: [
    'Only administrators of the company or of its e-mail senders see this page. Ask one of them.',
    'Sidan är för företagets administratörer och för dem som sköter e-postavsändare. Fråga någon av dem.',
  ],
  senders: ['Senders', 'Avsändare'],
  defaults: ['Company defaults', 'Företagets förval'],
  domains: ['Allowed domains', 'Tillåtna domäner'],
  latest: ['Latest e-mails', 'Senaste mejlen'],
  back: ['E-mail senders', 'E-postavsändare'],
  make: ['New sender', 'Ny avsändare'],
  made: [(email: string) => `${email} is on the list.`, (email: string) => `${email} finns nu i listan.`],
  save: ['Save', 'Spara'],
  saved: ['Saved. It holds from the next e-mail on.', 'Sparat. Det gäller från nästa mejl.'],
  remove: ['Remove', 'Ta bort'],
  removeTitle: [(email: string) => `Remove ${email}?`, (email: string) => `Ta bort ${email}?`],
  removeAddress: [
    'If its whole domain has an entry, that entry decides from then on; otherwise e-mails from it are refused.',
    'Om hela domänen finns i listan är det den posten som avgör därefter, annars nekas mejl från adressen.',
  ],
  removeDomain: [
    'Addresses with an entry of their own keep it; e-mails from all others in the domain are refused.',
    'Adresser med en egen post behåller den. Mejl från alla andra i domänen nekas.',
  ],
  removed: [
    (email: string) => `${email} is no longer on the list.`,
    (email: string) => `${email} finns inte längre i listan.`,
  ],
  address: ['Address', 'Adress'],
  addressHint: [
    'An address, or a whole domain written as @care.example.',
    'En adress, eller en hel domän skriven som @care.example.',
  ],
  allowedEndings: [
    (endings: string) => `Allowed are domains that end with ${endings}.`,
    (endings: string) => `Tillåtna är domäner som slutar på ${endings}.`,
  ],
  state: ['Status', 'Status'],
  allowed: ['Allowed', 'Tillåten'],
  blocked: ['Blocked', 'Spärrad'],
  maxSms: ['Max SMS', 'Max sms'],
  wholeDomain: ['Whole domain', 'Hela domänen'],
  wholeDomainText: [
    (domain: string) =>
      `Holds for every address at ${domain} that has no entry of its own. Subdomains need their own entry.`,
    (domain: string) =>
      `Gäller alla adresser på ${domain} som inte har en egen post. Underdomäner behöver egna poster.`,
  ],
  managedField: ['Set by your operator', 'Bestäms av driften'],
  managedText: [
    'Your operator keeps this entry. What is marked below is changed there; you can change the rest.',
    'Posten sköts av driften. Det som är märkt nedan ändras där; resten kan du ändra.',
  ],
  takenWhenSaved: [
    'What you leave empty takes the company default at the time of saving. If the default changes later, this entry stays as it is.',
    'Det du lämnar tomt får företagets förval i samma stund som du sparar. Ändras förvalet senare står posten kvar som den är.',
  ],
  companyDefault: [
    (value: string) => `${value} (company default)`,
    (value: string) => `${value} (företagets förval)`,
  ],
  noDefault: ['No default', 'Inget förval'],
  clear: ['Clear', 'Rensa'],
  yes: ['Yes', 'Ja'],
  no: ['No', 'Nej'],
  names: {
    payingUser: ['Paid by', 'Betalas av'],
    sender: ['Sender id', 'Avsändarnamn'],
    costCenter: ['Cost centre', 'Kostnadsställe'],
    defaultCountryCode: ['Country code', 'Landsnummer'],
    maxSms: ['Most SMS parts per e-mail', 'Högst antal sms-delar per mejl'],
    includeSubject: ['Include the subject', 'Ta med ämnesraden'],
    checkMobile: ['Only mobile numbers', 'Bara mobilnummer'],
    senderLogic: ['Sender id by domain', 'Avsändarnamn efter domän'],
    splitCallback: ['Receipts and answers by e-mail', 'Kvitton och svar med mejl'],
    onlyNonDelivery: ['Only failure receipts', 'Bara kvitton vid fel'],
    origMsg: ['Quote the original text', 'Citera den ursprungliga texten'],
  },
  hints: {
    payingUser: ['User name or id.', 'Användarnamn eller id.'],
    sender: ['3 to 11 characters.', '3 till 11 tecken.'],
    costCenter: ['Groups the usage.', 'Delar upp förbrukningen.'],
    defaultCountryCode: [
      'Replaces a single 0 in front of a number, such as 46.',
      'Ersätter en ensam nolla först i numret, till exempel 46.',
    ],
    maxSms: ['1 to 255. A longer text is cut.', '1 till 255. Längre text kortas.'],
    includeSubject: ['In front of the text.', 'Framför texten.'],
    checkMobile: [
      'Refuses numbers that can’t be mobile in their country.',
      'Nekar nummer som inte kan vara mobilnummer i sitt land.',
    ],
    senderLogic: ['By the rules that your operator keeps.', 'Enligt regler som driften sköter.'],
    splitCallback: [
      'They go to the address that wrote. The SMS then comes from a number that can be answered.',
      'De går till adressen som skrev. Sms:et kommer då från ett nummer som går att svara på.',
    ],
    onlyNonDelivery: ['Of what goes back by e-mail.', 'Av det som går tillbaka med mejl.'],
    origMsg: ['In answers that go back by e-mail.', 'I svar som går tillbaka med mejl.'],
  },
  none: {
    payingUser: ['Must be given', 'Måste anges'],
    sender: ['As the payer’s', 'Som betalarens'],
    costCenter: ['None', 'Inget'],
    defaultCountryCode: ['None', 'Ingen'],
    maxSms: ['255', '255'],
  },
  /** The placeholder of a yes-or-no field for which the company has no default. */
  noFlag: ['No (no company default)', 'Nej (inget förval)'],
  lacksSplit: [
    (user: string) => `Off: ${user} lacks the setting SMTPSPLIT, which your operator sets.`,
    (user: string) => `Av: ${user} saknar inställningen SMTPSPLIT, som driften sätter.`,
  ],
  cannotPay: ['can’t pay now', 'kan inte betala nu'],
  payerProblems: {
    inactive: [
      (user: string) => `But ${user} is closed and can’t pay, so each e-mail is refused.`,
      (user: string) => `Men ${user} är stängd och kan inte betala, så varje mejl nekas.`,
    ],
    lacksSend: [
      (user: string) => `But ${user} may not send SMS, so each e-mail is refused.`,
      (user: string) => `Men ${user} får inte skicka sms, så varje mejl nekas.`,
    ],
  },
  holdsForNew: plural(
    [
      'Holds for new entries; the # there is stays as it is.',
      'Holds for new entries; the # there are stay as they are.',
    ],
    [
      'Gäller nya poster. Den som redan finns ändras inte.',
      'Gäller nya poster. De # som redan finns ändras inte.',
    ],
  ),
  domainsText: [
    'Senders can be listed only in these domains. Your operator keeps them: ask there for another.',
    'Avsändare kan bara läggas in från de här domänerna. Driften sköter dem: be om fler där.',
  ],
  noDomains: ['No domain is open to your company yet.', 'Ingen domän är öppen för företaget än.'],
  onlyBelow: [
    (domain: string) => `Every subdomain of ${domain}, but not ${domain} itself`,
    (domain: string) => `Alla underdomäner till ${domain}, men inte ${domain} självt`,
  ],
  alsoBelow: [
    (domain: string) => `${domain}, and every domain that ends with it`,
    (domain: string) => `${domain}, och alla domäner som slutar så`,
  ],
  lookAlike: [
    (ending: string) =>
      `Domains that anyone can register end like this too, such as evil${ending}. Look twice at what you list; your operator can narrow it to .${ending}.`,
    (ending: string) =>
      `Domäner som vem som helst kan registrera slutar också så, till exempel evil${ending}. Se noga på det du lägger in; driften kan begränsa det till .${ending}.`,
  ],
  search: ['Search', 'Sök'],
  searchHint: ['A part of an address or a domain.', 'En del av en adress eller domän.'],
  nothingFound: [
    (q: string) => `No address contains “${q}”.`,
    (q: string) => `Ingen adress innehåller ”${q}”.`,
  ],
  noSenders: ['Nobody on the list yet', 'Ingen i listan än'],
  noSendersText: [
    'Until somebody is, every e-mail is refused. List an address, or a whole domain.',
    'Tills någon finns här nekas alla mejl. Lägg in en adress eller en hel domän.',
  ],
  whoDecides: ['Who decides for this address?', 'Vad gäller för adressen?'],
  ask: ['Look up', 'Slå upp'],
  byAddress: [
    (entry: string) => `The entry of the address itself, ${entry}, decides.`,
    (entry: string) => `Det avgörs av adressens egen post, ${entry}.`,
  ],
  byDomain: [
    (entry: string) => `The address has no entry of its own, so that of the whole domain, ${entry}, decides.`,
    (entry: string) => `Adressen har ingen egen post, så det avgörs av posten för hela domänen, ${entry}.`,
  ],
  isAllowed: ['It may send.', 'Den får skicka.'],
  isBlocked: ['It is blocked.', 'Den är spärrad.'],
  pays: [(user: string) => `${user} pays.`, (user: string) => `${user} betalar.`],
  notListed: [
    (email: string) =>
      `No entry of your company holds for ${email}: neither its own nor one of its domain. Nothing is sent for you.`,
    (email: string) =>
      `Företaget har ingen post som gäller ${email}, varken för adressen eller för domänen. Inget skickas för er.`,
  ],
  otherCompany: [
    (email: string) => `${email} is decided by an entry on the list of another company.`,
    (email: string) => `${email} avgörs av en post i ett annat företags lista.`,
  ],
  block: ['Block', 'Spärra'],
  allow: ['Allow', 'Tillåt'],
  blockQuestion: plural(
    [
      'E-mails from # sender will be refused from now on.',
      'E-mails from # senders will be refused from now on.',
    ],
    ['Mejl från # avsändare nekas från och med nu.', 'Mejl från # avsändare nekas från och med nu.'],
  ),
  allowQuestion: plural(
    ['# sender may send SMS from now on.', '# senders may send SMS from now on.'],
    ['# avsändare får skicka sms från och med nu.', '# avsändare får skicka sms från och med nu.'],
  ),
  removeQuestion: plural(
    [
      '# entry is removed. An address without an entry is decided by that of its domain, if there is one.',
      '# entries are removed. An address without an entry is decided by that of its domain, if there is one.',
    ],
    [
      '# post tas bort. En adress utan post avgörs av domänens, om den har en.',
      '# poster tas bort. En adress utan post avgörs av domänens, om den har en.',
    ],
  ),
  blockDone: plural(['# sender is blocked.', '# senders are blocked.'], ['# är spärrad.', '# är spärrade.']),
  allowDone: plural(['# sender is allowed.', '# senders are allowed.'], ['# är tillåten.', '# är tillåtna.']),
  removeDone: plural(
    ['# entry is removed.', '# entries are removed.'],
    ['# post är borttagen.', '# poster är borttagna.'],
  ),
  csvOut: ['Download as CSV', 'Ladda ner som CSV'],
  csvIn: ['Read in a CSV file', 'Läs in en CSV-fil'],
  csvText: [
    'One row for each entry, under these column names; only email is needed. For a new entry an empty cell takes the company default; of an entry on the list it changes nothing.',
    'En rad per post, under de här kolumnnamnen; bara e-post behövs. För en ny post ger en tom cell företagets förval; på en post som redan finns ändrar den inget.',
  ],
  chooseFile: ['Choose a file', 'Välj en fil'],
  dropFile: ['or drop it here', 'eller släpp den här'],
  cancel: ['Cancel', 'Avbryt'],
  close: ['Close', 'Stäng'],
  goOn: ['Go on', 'Fortsätt'],
  rowsFound: plural(
    ['# row can be read in.', '# rows can be read in.'],
    ['# rad kan läsas in.', '# rader kan läsas in.'],
  ),
  rowsDone: [
    (at: number, of: number, made: number, changed: number) =>
      `${at} of ${of} rows: ${made} new, ${changed} changed.`,
    (at: number, of: number, made: number, changed: number) =>
      `${at} av ${of} rader: ${made} nya, ${changed} ändrade.`,
  ],
  rowsFaulty: plural(
    ['# row has a problem and is left out:', '# rows have problems and are left out:'],
    ['# rad har fel och lämnas utanför:', '# rader har fel och lämnas utanför:'],
  ),
  importRows: plural(['Read in # row', 'Read in # rows'], ['Läs in # rad', 'Läs in # rader']),
  importStopped: [
    'It stopped. What is done stays; going on does nothing twice.',
    'Det stannade. Det som är gjort står kvar; inget görs två gånger om du fortsätter.',
  ],
  lineOf: [(line: number) => `Line ${line},`, (line: number) => `Rad ${line},`],
  rowFaults: {
    twice: [(_: string) => 'stands in the file before.', (_: string) => 'står tidigare i filen.'],
    noEmail: [(_: string) => 'has no address.', (_: string) => 'saknar adress.'],
    notYesOrNo: [
      (value: string) => `“${value}” is neither yes nor no.`,
      (value: string) => `”${value}” är varken ja eller nej.`,
    ],
    notNumber: [
      (value: string) => `“${value}” is not a number.`,
      (value: string) => `”${value}” är inget tal.`,
    ],
  },
  unknownColumn: [
    (title: string) => `There is no setting called “${title}”. Correct the name, or remove the column.`,
    (title: string) =>
      `Det finns ingen inställning som heter ”${title}”. Rätta namnet eller ta bort kolumnen.`,
  ],
  unreadable: {
    tooLarge: [(_: number) => 'The file is larger than 1 MB.', (_: number) => 'Filen är större än 1 MB.'],
    tooMany: [
      (most: number) => `The file has more than ${most} rows. Divide it.`,
      (most: number) => `Filen har mer än ${most} rader. Dela upp den.`,
    ],
    noEmailColumn: [
      (_: number) => 'The first row names no column “email”.',
      (_: number) => 'Första raden har ingen kolumn som heter ”e-post”.',
    ],
    broken: [
      (_: number) => 'The file can’t be read as CSV: a quote is never closed.',
      (_: number) => 'Filen går inte att läsa som CSV: ett citattecken saknar slut.',
    ],
  },
  latestText: [
    'What became of the latest e-mails of your company, without their texts; at most 500 are kept.',
    'Vad det blev av företagets senaste mejl, utan deras text. Högst 500 sparas.',
  ],
  noMail: ['No e-mails lately', 'Inga mejl på sistone'],
  noMailText: [
    'E-mails from senders that nobody has listed are not shown here: they belong to no company.',
    'Mejl från avsändare som ingen har i sin lista visas inte här: de hör inte till något företag.',
  ],
  from: ['From', 'Från'],
  noSender: ['Nobody', 'Ingen'],
  unproven: ['not proven', 'inte bevisat'],
  outcome: ['Outcome', 'Utfall'],
  sms: ['SMS', 'Sms'],
  smsCount: plural(['# SMS', '# SMS'], ['# sms', '# sms']),
  when: ['When', 'När'],
  outcomes: {
    sent: ['Sent', 'Skickat'],
    repeated: ['Already sent before', 'Redan skickat'],
    ignored: ['Ignored', 'Ignorerat'],
    refused: ['Refused', 'Nekat'],
  },
  reasons: {
    too_large: ['Too large.', 'För stort.'],
    malformed: ['The e-mail is malformed.', 'Mejlet är felaktigt byggt.'],
    unproven: ['The sender was not proven.', 'Avsändaren gick inte att bevisa.'],
    signed_long_ago: ['Signed too long ago.', 'Signerat för länge sedan.'],
    not_addressed: ['Not addressed to this service.', 'Inte ställt till den här tjänsten.'],
    not_listed: ['Not on the list.', 'Finns inte i listan.'],
    blocked: ['The sender is blocked.', 'Avsändaren är spärrad.'],
    not_of_user: ['Not of the company that delivered it.', 'Hör inte till företaget som lämnade det.'],
    payer: ['The payer can’t pay.', 'Den som betalar kan inte göra det.'],
    no_text: ['It has no text.', 'Det har ingen text.'],
    recipient: ['A recipient can’t get SMS.', 'En mottagare kan inte få sms.'],
    quota: ['The quota is used up.', 'Kvoten är slut.'],
    sender: ['The sender id may not be used.', 'Avsändarnamnet får inte användas.'],
    other: ['It could not be sent.', 'Det gick inte att skicka.'],
    no_phone: ['No recipient is a phone.', 'Ingen mottagare är en telefon.'],
    dns: ['DNS did not answer; its server tries again.', 'DNS svarade inte; servern försöker igen.'],
    store: ['Put off; its server tries again.', 'Uppskjutet; servern försöker igen.'],
    overload: ['Put off: too much at once.', 'Uppskjutet: för mycket på en gång.'],
    rate: ['Put off: the limit per minute or day.', 'Uppskjutet: gränsen per minut eller dag.'],
    broken: ['The connection broke.', 'Anslutningen bröts.'],
    internal: ['Put off after a fault.', 'Uppskjutet efter ett fel.'],
  },
});
