/** The texts of what the frame shows on request, which the first screen need not load. */
import { wordsOf } from '../words/words.ts';

export const useLaterWords = wordsOf({
  noRight: [
    (roles: string) => `This page needs the role ${roles}, which you don’t have.`,
    (roles: string) => `Sidan kräver rollen ${roles}, som du inte har.`,
  ],
  askOneOf: [
    (names: string) => `An administrator of your company can give it to you: ${names}.`,
    (names: string) => `En administratör på ditt företag kan ge dig den: ${names}.`,
  ],
  askAdministrator: [
    'The operator of this server can give it to you.',
    'Den som driver tjänsten kan ge dig den.',
  ],
  palette: ['Find a page, a person or a thing', 'Hitta en sida, en person eller en sak'],
  paletteHint: ['Name, phone number or page', 'Namn, telefonnummer eller sida'],
  sendTo: [(name: string) => `Send to ${name}`, (name: string) => `Skicka till ${name}`],
  startJob: [(name: string) => `Start ${name}`, (name: string) => `Starta ${name}`],
  kinds: {
    group: ['Group', 'Grupp'],
    template: ['Template', 'Mall'],
    batch: ['Batch', 'Utskick'],
  },
  looking: ['Searching …', 'Söker …'],
  messagesOf: [(text: string) => `Find messages: ${text}`, (text: string) => `Hitta meddelanden: ${text}`],
  nothing: [
    (typed: string) => `Nothing for “${typed}”. Try the beginning of a name, or a whole phone number.`,
    (typed: string) => `Inget för ”${typed}”. Pröva början av ett namn, eller ett helt telefonnummer.`,
  ],
  account: ['Your account', 'Ditt konto'],
  signedInAs: [
    (username: string, company: string) => `${username}, ${company}`,
    (username: string, company: string) => `${username}, ${company}`,
  ],
  theme: ['Theme', 'Utseende'],
  themes: {
    system: ['System', 'System'],
    light: ['Light', 'Ljust'],
    dark: ['Dark', 'Mörkt'],
  },
  language: ['Language', 'Språk'],
  signOut: ['Sign out', 'Logga ut'],
  apiDocs: ['API documentation', 'API-dokumentation'],
  version: [(version: string) => `Carillon ${version}`, (version: string) => `Carillon ${version}`],
});
