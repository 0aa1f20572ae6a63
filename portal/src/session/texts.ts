/** The texts of signing in. */
import { wordsOf } from '../words/words.ts';

export const useSessionWords = wordsOf({
  signIn: ['Sign in', 'Logga in'],
  lead: [
    'Send messages, follow each one, and see who answered.',
    'Skicka meddelanden, följ vart och ett och se vem som svarade.',
  ],
  username: ['User name', 'Användarnamn'],
  password: ['Password', 'Lösenord'],
  wrong: ['The user name or the password is wrong.', 'Användarnamnet eller lösenordet är fel.'],
  forgotten: [
    'Forgot it? Whoever runs this server makes a link that lets you in: carillon user link',
    'Glömt det? Den som driver servern gör en länk som släpper in dig: carillon user link',
  ],
  again: ['Your session has ended', 'Du har loggats ut'],
  againLead: [
    'Sign in to go on. What you have typed is still there.',
    'Logga in för att fortsätta. Det du har skrivit finns kvar.',
  ],
  confirm: ['Confirm that it’s you', 'Bekräfta att det är du'],
  confirmHint: [
    'Enter your password: this needs one given in the last ten minutes. What you have typed is still there.',
    'Det här kräver ditt lösenord, angivet de senaste tio minuterna. Det du har skrivit finns kvar.',
  ],
  wrongPassword: ['This is not your password.', 'Det är inte ditt lösenord.'],
  goOn: ['Go on', 'Fortsätt'],
  cancel: ['Cancel', 'Avbryt'],
  linkTitle: ['Signing you in', 'Du loggas in'],
  linkOver: ['This link can’t be used any more', 'Länken går inte att använda längre'],
  linkOverLead: [
    'A link works once and for half an hour. Sign in with your password, or ask for another link.',
    'En länk fungerar en gång och i en halvtimme. Logga in med ditt lösenord eller be om en ny länk.',
  ],
  toSignIn: ['To sign-in', 'Till inloggningen'],
  choose: ['Choose a password', 'Välj ett lösenord'],
  chooseLead: [
    (username: string) =>
      `You are signed in as ${username}. With a password of your own you come back at any time.`,
    (username: string) =>
      `Du är inloggad som ${username}. Med ett eget lösenord kommer du tillbaka när som helst.`,
  ],
  newPassword: ['New password', 'Nytt lösenord'],
  passwordHint: [
    'At least 12 characters. A few words are easier to remember than signs, and harder to guess.',
    'Minst 12 tecken. Några ord är lättare att minnas än tecken, och svårare att gissa.',
  ],
  save: ['Save and go on', 'Spara och fortsätt'],
  sendFirst: ['Send a first message', 'Skicka ett första meddelande'],
  apiDocs: ['API documentation', 'API-dokumentation'],
});
