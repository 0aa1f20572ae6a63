/** Shown in place of all pages to users who must have a second factor, until they have set one up. */
import { useFactorWords } from './factor-texts.ts';
import { Factors } from './factors.tsx';
import type { Session } from './session.ts';
import { SignInFrame } from './sign-in-frame.tsx';

export function EnrolPage({ session, done }: { readonly session: Session; readonly done: () => void }) {
  const words = useFactorWords();
  return (
    <SignInFrame title={words.title} lead={words.enrolLead(session.company.name)}>
      <Factors done={done} />
    </SignInFrame>
  );
}
