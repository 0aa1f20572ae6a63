/** The texts of signing in with an identity provider. */
import { wordsOf } from '../words/words.ts';

export const useProviderWords = wordsOf({
  signInWith: [(label: string) => `Sign in with ${label}`, (label: string) => `Logga in med ${label}`],
  confirmWith: [(label: string) => `Confirm with ${label}`, (label: string) => `Bekräfta med ${label}`],
  confirmHint: [
    'For this, you must have signed in there recently. You come back to this page; then do it once more.',
    'Det här kräver att du har loggat in där nyligen. Du kommer tillbaka till den här sidan; gör det sedan igen.',
  ],
  failures: {
    unreachable: [
      'The sign-in service of your organisation can’t be reached. Try again in a while.',
      'Organisationens inloggningstjänst går inte att nå. Försök igen om en stund.',
    ],
    declined: [
      'The sign-in was cancelled, or your organisation refused it.',
      'Inloggningen avbröts, eller nekades av din organisation.',
    ],
    invalid: [
      'The answer of the sign-in service could not be trusted. Tell the operator of this server.',
      'Svaret från inloggningstjänsten gick inte att lita på. Meddela driften.',
    ],
    no_username: [
      'The sign-in service did not say who you are here. Tell an administrator of your company.',
      'Inloggningstjänsten talade inte om vem du är här. Meddela en administratör i företaget.',
    ],
    not_verified: [
      'Your e-mail address has not been verified by the sign-in service.',
      'Din e-postadress är inte bekräftad av inloggningstjänsten.',
    ],
    unknown_user: [
      'You have no account here. An administrator of your company can make one.',
      'Du har inget konto här. En administratör i företaget kan lägga upp ett.',
    ],
    other_identity: [
      'Your user name here belongs to another identity. An administrator of your company can release it.',
      'Ditt användarnamn här hör till en annan identitet. En administratör i företaget kan släppa det.',
    ],
    other_user: [
      'You confirmed as somebody other than the user who is signed in.',
      'Du bekräftade som någon annan än den som är inloggad.',
    ],
    closed: ['Your account is closed.', 'Ditt konto är stängt.'],
    no_role: [
      'None of your groups gives you a right here. Ask an administrator of your company.',
      'Ingen av dina grupper ger dig någon behörighet här. Fråga en administratör i företaget.',
    ],
    too_many_users: [
      'Your company has as many users as it may have.',
      'Företaget har så många användare som det får ha.',
    ],
    over: [
      'That sign-in is over, or was begun in another browser. Begin again.',
      'Den inloggningen gäller inte längre, eller började i en annan webbläsare. Börja om.',
    ],
    busy: [
      'Many are signing in right now. Try again in a while.',
      'Många loggar in just nu. Försök igen om en stund.',
    ],
    no_provider: [
      'There is no such sign-in service. Check the address.',
      'Inloggningstjänsten finns inte. Kontrollera adressen.',
    ],
  },
});
