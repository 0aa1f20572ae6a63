/** The texts of the pages of alerts. */
import { numberFormats, plural, wordsOf } from '../words/words.ts';

const en = numberFormats.en.format;
const sv = numberFormats.sv.format;

/** What people were woken for. */
export const useAlertWords = wordsOf({
  title: ['Alerts', 'Larm'],
  lead: [
    'What your monitoring programs woke people for, the latest first.',
    'Det som era övervakningsprogram har väckt folk för, det senaste först.',
  ],
  what: ['Alert', 'Larm'],
  receiver: ['Receiver', 'Mottagare'],
  allReceivers: ['All receivers', 'Alla mottagare'],
  receivers: ['Alert receivers', 'Larmmottagare'],
  alerts: ['Alerts', 'Larm'],
  count: plural(['# alert', '# alerts'], ['# larm', '# larm']),
  stillFiring: [
    (firing: number, of: number) => (firing === of ? 'still firing' : `${en(firing)} still firing`),
    (firing: number, of: number) => (firing === of ? 'pågår' : `${sv(firing)} pågår`),
  ],
  leftOut: plural(
    ['# more was not kept', '# more were not kept'],
    ['# till sparades inte', '# till sparades inte'],
  ),
  state: ['State', 'Läge'],
  states: {
    all: ['All', 'Alla'],
    opening: ['Waking people', 'Väcker folk'],
    open: ['Ongoing', 'Pågår'],
    ended: ['Over', 'Över'],
    failed: ['Nobody woken', 'Ingen väckt'],
  },
  noYes: ['No YES yet', 'Inget ja än'],
  taken: ['Taken care of', 'Omhändertaget'],
  acknowledged: ['Acknowledged', 'Kvitterat'],
  somebody: ['somebody', 'någon'],
  since: ['Began', 'Började'],
  none: ['No alerts yet', 'Inga larm än'],
  noneText: [
    'Your programs post to these addresses. What they report is shown here.',
    'Era program skickar till de här adresserna. Det de rapporterar visas här.',
  ],
  unconnected: ['No program is connected', 'Inget program är anslutet'],
  unconnectedText: [
    'Alertmanager, Grafana, Zabbix, Uptime Kuma, or a program of your own can wake people. Make a receiver: it says who is woken. The program then posts to its address.',
    'Alertmanager, Grafana, Zabbix, Uptime Kuma eller ett eget program kan väcka folk. Skapa en mottagare: den säger vem som väcks. Programmet skickar sedan till mottagarens adress.',
  ],
  noneForUser: [
    'Administrators connect monitoring programs to people. What the programs report, and wakes people in your name, is shown here.',
    'Administratörer ansluter övervakningsprogram. Det som programmen rapporterar, och som väcker folk i ditt namn, visas här.',
  ],
  noMatch: ['No alerts match', 'Inga larm passar'],
  noMatchText: ['Choose another receiver or state.', 'Välj en annan mottagare eller ett annat läge.'],
  back: ['Alerts', 'Larm'],
  end: ['End …', 'Avsluta …'],
  endIt: ['End it', 'Avsluta'],
  endTitle: ['End this alert?', 'Avsluta larmet?'],
  endSure: [
    'Do this if its source is gone and will not report that it is over. Those who were woken are told that it is over. If the source reports it again, people are woken again.',
    'Gör det om källan är borta och inte kommer att rapportera att det är över. De som väcktes får veta att det är över. Rapporterar källan det igen väcks folk igen.',
  ],
  ended: ['The alert is ended', 'Larmet är avslutat'],
  over: ['Over since', 'Över sedan'],
  by: [(name: string) => `by ${name}`, (name: string) => `av ${name}`],
  people: ['People', 'Folk'],
  board: ['Who is asked, and who answered', 'Vilka som tillfrågas och vad de svarat'],
  messages: plural(
    ['# SMS: see how it went', '# SMS: see how they went'],
    ['# sms: se hur det gick', '# sms: se hur det gick'],
  ),
  why: ['Why nobody was woken', 'Varför ingen väcktes'],
  lastTry: ['The last try', 'Senaste försöket'],
  text: ['What people got', 'Vad folk fick'],
  itsAlerts: ['What it is about', 'Vad det gäller'],
  firstOnly: [
    (shown: number, of: number) => `The first ${en(shown)} of ${en(of)}.`,
    (shown: number, of: number) => `De första ${sv(shown)} av ${sv(of)}.`,
  ],
  noAlerts: [
    'Its alerts have fired again since, and belong to a later one.',
    'Det som larmade har larmat igen, och hör till ett senare larm.',
  ],
  firing: ['Firing', 'Larmar'],
  resolved: ['Resolved', 'Åtgärdat'],
  fired: ['Heard of', 'Kom'],
  lastHeard: ['Last heard of', 'Senast hört'],
  times: ['Reported', 'Rapporterat'],
  timesOf: plural(['once', '# times'], ['en gång', '# gånger']),
  openSource: ['Open at its source', 'Öppna hos källan'],
  details: ['Labels', 'Etiketter'],
  source: ['What its source was told', 'Vad källan fick veta'],
  sourceNothing: [
    'Nothing. When somebody answers YES, the source is told if the receiver says where.',
    'Inget. När någon svarar ja får källan veta det, om mottagaren säger var.',
  ],
  told: ['When', 'När'],
  outcome: ['Outcome', 'Resultat'],
  outcomes: {
    waiting: ['Waiting', 'Väntar'],
    done: ['It knows', 'Den vet'],
    failed: ['Given up', 'Gavs upp'],
  },
  attempts: ['Tries', 'Försök'],
  next: ['Next try', 'Nästa försök'],
  reason: ['Why not', 'Varför inte'],
});

/** The receivers, to which monitoring programs post. */
export const useReceiverWords = wordsOf({
  title: ['Alert receivers', 'Larmmottagare'],
  lead: [
    'Each receiver is an address to which a monitoring program posts, and says who is woken.',
    'Varje mottagare är en adress som ett övervakningsprogram skickar till, och säger vem som väcks.',
  ],
  make: ['New receiver', 'Ny mottagare'],
  none: ['No receivers yet', 'Inga mottagare än'],
  noneText: [
    'Make one for each program that may wake people, such as Alertmanager.',
    'Skapa en för varje program som får väcka folk, till exempel Alertmanager.',
  ],
  back: ['Alert receivers', 'Larmmottagare'],
  name: ['Name', 'Namn'],
  nameHint: [
    'The last part of its address, such as “ops”.',
    'Sista delen av adressen, till exempel ”drift”.',
  ],
  source: ['Program', 'Program'],
  sources: {
    alertmanager: ['Prometheus Alertmanager', 'Prometheus Alertmanager'],
    grafana: ['Grafana', 'Grafana'],
    zabbix: ['Zabbix', 'Zabbix'],
    uptimekuma: ['Uptime Kuma', 'Uptime Kuma'],
    generic: ['Any other, with JSON', 'Något annat, med JSON'],
  },
  user: ['User', 'Användare'],
  userHint: [
    'Acts and pays, and needs the right to do so.',
    'Handlar och betalar, och måste ha rätt till det.',
  ],
  you: ['You', 'Du'],
  action: ['What happens', 'Vad som händer'],
  actions: {
    start: ['A saved job starts', 'Ett sparat jobb startar'],
    send: ['SMS are sent', 'Sms skickas'],
  },
  start: ['Saved job', 'Sparat jobb'],
  startHint: [
    'People are asked level by level, and YES acknowledges the alert.',
    'Folk tillfrågas nivå för nivå, och ett ja kvitterar larmet.',
  ],
  chooseJob: ['Choose a job', 'Välj ett jobb'],
  job: [(id: string) => `Saved job ${id}`, (id: string) => `Sparat jobb ${id}`],
  numbers: ['Numbers', 'Nummer'],
  numbersHint: ['One a line, or separated by commas.', 'Ett per rad, eller med komma emellan.'],
  tagFilter: ['Tag filter', 'Taggfilter'],
  filterHint: [
    'Such as role:oncall, in the address book of the user.',
    'Till exempel role:jour, i användarens adressbok.',
  ],
  groups: ['Groups', 'Grupper'],
  sendsTo: [
    (numbers: number, others: number) =>
      [numbers > 0 && `${en(numbers)} numbers`, others > 0 && `${en(others)} groups or filters`]
        .filter(Boolean)
        .join(', '),
    (numbers: number, others: number) =>
      [numbers > 0 && `${sv(numbers)} nummer`, others > 0 && `${sv(others)} grupper eller filter`]
        .filter(Boolean)
        .join(', '),
  ],
  text: ['Text', 'Text'],
  textHint: [
    '{{summary}} is a label or an annotation of the alert; {{title}}, {{status}}, {{receiver}}, {{count}} and {{url}} are always there. Left empty, it is {{title}}.',
    '{{summary}} är en etikett eller annotation i larmet; {{title}}, {{status}}, {{receiver}}, {{count}} och {{url}} finns alltid. Lämnas fältet tomt blir det {{title}}.',
  ],
  preview: ['What people get', 'Vad folk får'],
  ofSample: ['With an invented alert.', 'Med ett påhittat larm.'],
  ofLatest: ['With the latest alert of this receiver.', 'Med mottagarens senaste larm.'],
  waking: ['How often people are woken', 'Hur ofta folk väcks'],
  groupMinutes: [
    'Minutes in which more alerts wake people only once',
    'Minuter då fler larm väcker folk bara en gång',
  ],
  againHours: [
    'Hours after which people are woken again, if nobody has acknowledged; 0: never',
    'Timmar tills folk väcks igen om ingen har kvitterat; 0: aldrig',
  ],
  ownAlerts: ['Alerts about Carillon itself also wake people', 'Larm om Carillon självt väcker också'],
  ownAlertsHint: [
    'Those with the label application: carillon. Switched off, they wake nobody: a server with a fault should not call people by itself.',
    'De med etiketten application: carillon. Avstängt väcker de ingen: en server med fel ska inte själv ringa efter folk.',
  ],
  acknowledge: ['Acknowledgements', 'Kvittenser'],
  acknowledgeText: [
    'When somebody answers YES, the program is told, so that it stops repeating.',
    'När någon svarar ja får programmet veta det, så att det slutar upprepa larmet.',
  ],
  unacknowledged: ['This program takes no acknowledgements.', 'Det här programmet tar inte emot kvittenser.'],
  url: ['Address of the program', 'Programmets adress'],
  urlHints: {
    alertmanager: [
      'Where its own page is, such as http://127.0.0.1:9093.',
      'Där dess egen sida finns, till exempel http://127.0.0.1:9093.',
    ],
    grafana: [
      'Where its own page is, such as https://grafana.example.',
      'Där dess egen sida finns, till exempel https://grafana.example.',
    ],
    zabbix: [
      'Where api_jsonrpc.php is, such as https://zabbix.example.',
      'Där api_jsonrpc.php finns, till exempel https://zabbix.example.',
    ],
    uptimekuma: ['', ''],
    generic: ['Carillon posts JSON there.', 'Carillon skickar JSON dit.'],
  },
  hours: ['Hours of silence', 'Timmar av tystnad'],
  token: ['Token', 'Token'],
  tokenHint: [
    'Sent as Authorization: Bearer. Never shown again.',
    'Skickas som Authorization: Bearer. Visas aldrig igen.',
  ],
  kept: ['One is kept. Leave empty to keep it.', 'En är sparad. Lämna tomt för att behålla den.'],
  username: ['Or a user name', 'Eller ett användarnamn'],
  password: ['Password', 'Lösenord'],
  passwordHint: ['Never shown again.', 'Visas aldrig igen.'],
  pointers: ['Where to find things in the JSON', 'Var saker finns i JSON'],
  pointersText: [
    'JSON pointers, such as /data/alarms. Left empty, they are the documented ones.',
    'JSON-pekare, till exempel /data/alarms. Lämnas de tomma gäller de dokumenterade.',
  ],
  pointerNames: {
    items: ['The list of alerts', 'Listan med larm'],
    fingerprint: ['What tells alerts apart', 'Det som skiljer larm åt'],
    state: ['The state', 'Läget'],
    title: ['The title', 'Rubriken'],
    labels: ['The labels', 'Etiketterna'],
    annotations: ['The annotations', 'Annotationerna'],
    startedAt: ['When it began', 'När det började'],
    url: ['Where to read more', 'Var man kan läsa mer'],
  },
  firing: ['States that mean firing', 'Lägen som betyder larm'],
  resolved: ['States that mean resolved', 'Lägen som betyder åtgärdat'],
  settings: ['Settings', 'Inställningar'],
  connect: ['Connect the program', 'Anslut programmet'],
  address: ['Address', 'Adress'],
  copyAddress: ['Copy address', 'Kopiera adress'],
  copySettings: ['Copy settings', 'Kopiera inställningar'],
  keyText: [
    (user: string, scope: string) =>
      `The program needs an API key of ${user}, or of an administrator. Limit the key to ${scope}, so that it can only post these alerts.`,
    (user: string, scope: string) =>
      `Programmet behöver en API-nyckel från ${user} eller en administratör. Begränsa nyckeln till ${scope}, så att den bara kan skicka de här larmen.`,
  ],
  itsIncidents: ['Its alerts', 'Dess larm'],
  save: ['Save', 'Spara'],
  saved: ['Saved', 'Sparat'],
  discard: ['Undo my changes', 'Ångra mina ändringar'],
  meanwhile: [
    'Someone else changed this receiver while you were typing.',
    'Någon annan ändrade mottagaren medan du skrev.',
  ],
  theirs: ['Keep theirs', 'Behåll deras'],
  mine: ['Overwrite with mine', 'Skriv över med mina'],
  yes: ['Yes', 'Ja'],
  no: ['No', 'Nej'],
  managed: [
    'Your operator has set some of this in a file, and can change it there.',
    'Driften har satt en del av detta i en fil, och kan ändra det där.',
  ],
  remove: ['Remove', 'Ta bort'],
  removeSure: [
    'What its program posts is refused from then on, and what it has woken people for ends.',
    'Det som programmet skickar avvisas därefter, och det som det har väckt folk för avslutas.',
  ],
  removed: [(name: string) => `${name} is removed`, (name: string) => `${name} är borttagen`],
});
