/** The texts of the portal's frame. */
import { wordsOf } from '../words/words.ts';

export const useFrameWords = wordsOf({
  skip: ['Skip to the page', 'Hoppa till sidan'],
  navigation: ['Pages', 'Sidor'],
  groups: {
    start: ['', ''],
    send: ['Send', 'Skicka'],
    where: ['Where is it?', 'Var är det?'],
    who: ['Who answered?', 'Vem svarade?'],
    people: ['People', 'Personer'],
    settings: ['Settings', 'Inställningar'],
  },
  search: ['Find anything', 'Hitta allt'],
  palette: ['Go to a page or find a number', 'Gå till en sida eller hitta ett nummer'],
  paletteHint: ['Page, phone number or id', 'Sida, telefonnummer eller id'],
  messagesOf: [(text: string) => `Messages of ${text}`, (text: string) => `Meddelanden för ${text}`],
  nothing: [
    'Nothing of that name. A phone number finds its messages.',
    'Inget heter så. Ett telefonnummer hittar sina meddelanden.',
  ],
  more: ['More', 'Mer'],
  account: ['You and this browser', 'Du och webbläsaren'],
  signedInAs: [
    (username: string, company: string) => `${username}, ${company}`,
    (username: string, company: string) => `${username}, ${company}`,
  ],
  theme: ['Theme', 'Utseende'],
  themes: {
    system: ['As the system', 'Som systemet'],
    light: ['Light', 'Ljust'],
    dark: ['Dark', 'Mörkt'],
  },
  language: ['Language', 'Språk'],
  signOut: ['Sign out', 'Logga ut'],
  apiDocs: ['API documentation', 'API-dokumentation'],
  version: [(version: string) => `Carillon ${version}`, (version: string) => `Carillon ${version}`],
  notFound: ['There is no such page', 'Sidan finns inte'],
  notFoundText: [
    'The address may have changed, or it was not copied whole.',
    'Adressen kan ha ändrats, eller så kopierades den inte hel.',
  ],
  toStart: ['To the start', 'Till start'],
  failed: ['This page has failed', 'Sidan gick sönder'],
  failedText: [
    'It is a fault of ours. Load the page again; if it stays, tell whoever runs this server.',
    'Felet är vårt. Ladda sidan igen; om det består, säg till den som driver servern.',
  ],
  reload: ['Load again', 'Ladda igen'],
});
