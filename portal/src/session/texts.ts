/** The texts of the sign-in. */
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
    'Forgot it? Ask an administrator of your company for a sign-in link, or the operator of this server.',
    'Glömt det? Be en administratör i företaget om en inloggningslänk, eller driften.',
  ],
  again: ['Your session has ended', 'Du har loggats ut'],
  againLead: [
    'Sign in to continue. What you typed is still there.',
    'Logga in för att fortsätta. Det du har skrivit finns kvar.',
  ],
  confirm: ['Confirm that it’s you', 'Bekräfta att det är du'],
  confirmHint: [
    'For this, you must have entered your password in the last ten minutes. What you typed is still there.',
    'Det här kräver att du har angett ditt lösenord de senaste tio minuterna. Det du har skrivit finns kvar.',
  ],
  wrongPassword: ['That is not your password.', 'Det är inte ditt lösenord.'],
  goOn: ['Continue', 'Fortsätt'],
  cancel: ['Cancel', 'Avbryt'],
  linkTitle: ['Signing you in', 'Du loggas in'],
  linkOver: ['This link is no longer valid', 'Länken gäller inte längre'],
  linkOverLead: [
    'A link works once, within half an hour. Sign in with your password, or ask for a new link.',
    'En länk fungerar en gång, inom en halvtimme. Logga in med ditt lösenord eller be om en ny länk.',
  ],
  toSignIn: ['Go to sign-in', 'Till inloggningen'],
  choose: ['Choose a password', 'Välj ett lösenord'],
  chooseLead: [
    (username: string) =>
      `You are signed in as ${username}. Choose a password so that you can sign in again at any time.`,
    (username: string) =>
      `Du är inloggad som ${username}. Välj ett lösenord så att du kan logga in igen när som helst.`,
  ],
  newPassword: ['New password', 'Nytt lösenord'],
  passwordHint: [
    'At least 12 characters. A few words are easier to remember than symbols, and harder to guess.',
    'Minst 12 tecken. Några ord är lättare att minnas än specialtecken, och svårare att gissa.',
  ],
  save: ['Save and continue', 'Spara och fortsätt'],
  sendFirst: ['Send your first message', 'Skicka ditt första meddelande'],
  never: ['Never', 'Aldrig'],
  apiDocs: ['API documentation', 'API-dokumentation'],
});
