/** The texts of signing in, in Swedish. */
import type { en } from './en.ts';

export const sv = {
  signIn: 'Logga in',
  lead: 'Skicka meddelanden, följ vart och ett och se vem som svarade.',
  username: 'Användarnamn',
  password: 'Lösenord',
  wrong: 'Användarnamnet eller lösenordet är fel.',
  forgotten: 'Glömt det? Den som driver servern gör en länk som släpper in dig: carillon user link',
  again: 'Du har loggats ut',
  againLead: 'Logga in för att fortsätta. Det du har skrivit finns kvar.',
  linkTitle: 'Du loggas in',
  linkOver: 'Länken går inte att använda längre',
  linkOverLead:
    'En länk fungerar en gång och i en halvtimme. Logga in med ditt lösenord eller be om en ny länk.',
  toSignIn: 'Till inloggningen',
  choose: 'Välj ett lösenord',
  chooseLead: (username: string) =>
    `Du är inloggad som ${username}. Med ett eget lösenord kommer du tillbaka när som helst.`,
  newPassword: 'Nytt lösenord',
  passwordHint: 'Minst 12 tecken. Några ord är lättare att minnas än tecken, och svårare att gissa.',
  save: 'Spara och fortsätt',
  sendFirst: 'Skicka ett första meddelande',
  apiDocs: 'API-dokumentation',
} satisfies typeof en;
