/** The page that asks who is there. */
import layout from '../design/layout.module.css';
import styles from './session.module.css';
import type { Session } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';
import { SignInFrame } from './sign-in-frame.tsx';
import { useSessionWords } from './texts.ts';

export function SignInPage({ entered }: { readonly entered: (session: Session) => void }) {
  const words = useSessionWords();
  return (
    <SignInFrame title={words.signIn} lead={words.lead}>
      <SignInForm entered={entered} />
      <p className={`${styles.forgotten} ${layout.soft}`}>{words.forgotten}</p>
    </SignInFrame>
  );
}
