/** The page that shows where the user is signed in, and how. */
import { Security } from '../session/security.tsx';
import { useSession } from '../session/session.ts';
import { useKeyWords } from './texts.ts';

export function SessionsPage() {
  const words = useKeyWords();
  return <Security managed={useSession().passwordManaged && words.passwordManaged} />;
}
