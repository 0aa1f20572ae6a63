/** Asks for the password again, over the page, when a session has ended: the page stays as it is. */
import { Dialog } from '../design/dialog.tsx';
import styles from './session.module.css';
import type { Session } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';
import { useSessionWords } from './texts.ts';

export function SignInDialog({
  username,
  entered,
}: {
  readonly username: string;
  readonly entered: (session: Session) => void;
}) {
  const words = useSessionWords();
  return (
    <Dialog title={words.again}>
      <p className={styles.lead}>{words.againLead}</p>
      <SignInForm username={username} entered={entered} />
    </Dialog>
  );
}
