/** The texts of second factors. */
import { wordsOf } from '../words/words.ts';

export const useFactorWords = wordsOf({
  title: ['Second factor', 'Andra steget'],
  lead: [
    'Besides your password, signing in then takes something that only you have.',
    'Då krävs utöver lösenordet något som bara du har när du loggar in.',
  ],
  enrolLead: [
    (company: string) => `${company} requires it of you. Set it up to go on.`,
    (company: string) => `${company} kräver det av dig. Ställ in det för att fortsätta.`,
  ],
  operatorsLead: [
    'It is required of operators. Set it up to go on.',
    'Det krävs av driften. Ställ in det för att fortsätta.',
  ],
  code: ['Code', 'Kod'],
  codeHint: [
    'Six digits from your app, or one of your recovery codes.',
    'Sex siffror från din app, eller en av dina återställningskoder.',
  ],
  appHint: ['The six digits that the app shows now.', 'De sex siffror som appen visar nu.'],
  goOn: ['Continue', 'Fortsätt'],
  cancel: ['Cancel', 'Avbryt'],
  app: ['Codes of an app', 'Koder från en app'],
  setUp: ['Set up an app', 'Ställ in en app'],
  scan: [
    'Scan this with an authenticator app, or type the key into it.',
    'Skanna med en autentiseringsapp, eller skriv in nyckeln där.',
  ],
  secret: ['Key', 'Nyckel'],
  passkey: ['Passkey', 'Passkey'],
  addPasskey: ['Add a passkey', 'Lägg till en passkey'],
  usePasskey: ['Use a passkey', 'Använd en passkey'],
  noPasskey: ['The browser gave no passkey. Try again.', 'Webbläsaren gav ingen passkey. Försök igen.'],
  name: ['Name', 'Namn'],
  nameHint: ['Such as the device that keeps it.', 'Till exempel enheten som den finns på.'],
  recoveryHint: ['One of your recovery codes.', 'En av dina återställningskoder.'],
  used: ['Last used', 'Användes senast'],
  remove: ['Remove', 'Ta bort'],
  removeTitle: [(name: string) => `Remove: ${name}?`, (name: string) => `Ta bort: ${name}?`],
  removeText: ['You can no longer sign in with it.', 'Du kan inte längre logga in med det.'],
  removed: ['Removed', 'Borttaget'],
  recovery: ['Recovery codes', 'Återställningskoder'],
  left: [(count: number) => `${count} left`, (count: number) => `${count} kvar`],
  newCodes: ['Create new codes', 'Skapa nya koder'],
  recoveryText: [
    'If you lose the app or the key, each of these codes signs you in once. Keep them somewhere safe.',
    'Om du blir av med appen eller nyckeln kan du logga in en gång med var och en av koderna. Förvara dem säkert.',
  ],
});
