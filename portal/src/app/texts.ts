/** The texts of the portal's frame. */
import { wordsOf } from '../words/words.ts';

export const useFrameWords = wordsOf({
  navigation: ['Pages', 'Sidor'],
  tabbed: {
    admin: ['Administration', 'Administration'],
    settings: ['Your account', 'Ditt konto'],
  },
  search: ['Find anything', 'Sök överallt'],
  more: ['More', 'Mer'],
  notFound: ['Page not found', 'Sidan finns inte'],
  notFoundText: [
    'The address may have changed, or part of it is missing.',
    'Adressen kan ha ändrats, eller så saknas en del av den.',
  ],
  toStart: ['Go to Start', 'Gå till Start'],
  failed: ['Something went wrong', 'Något gick fel'],
  failedText: [
    'This is our fault. Reload the page. If it happens again, tell the operator of this server.',
    'Felet är vårt. Ladda om sidan. Säg till driften om det händer igen.',
  ],
  reload: ['Reload', 'Ladda om'],
});
