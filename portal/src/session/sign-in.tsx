/** Asks who is there: on a separate page or, when a session has ended, over the current page, which stays as it is. */
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { Fault } from '../api/fault.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { PasswordField, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { failureOfProvider, shownProviders } from './provider.ts';
import styles from './session.module.css';
import { type GivenFactor, giveFactor, isLacking, type Lacking, type Session, signIn } from './session.ts';
import { SignInFrame } from './sign-in-frame.tsx';
import { useSessionWords } from './texts.ts';

const ProviderSignIn = lazy(async () => ({ default: (await import('./providers.tsx')).ProviderSignIn }));

/** Nothing where no identity provider is known. */
function ByProvider() {
  if (failureOfProvider() === undefined && shownProviders().length === 0) return null;
  return (
    <Suspense>
      <ProviderSignIn />
    </Suspense>
  );
}

// Users without a second factor load none of this.
const SecondStep = lazy(async () => ({
  default: (await import('./second-step.tsx')).SecondStep,
}));

interface LackingStepProps<Entered> {
  readonly lacking: Lacking;
  readonly give: (lacking: Lacking, given: GivenFactor) => Promise<Entered>;
  readonly entered: (session: Entered) => void;
  readonly cancel: () => void;
}

/** Asks for what is lacking after a password or a link. */
export function LackingStep<Entered>({ lacking, give, entered, cancel }: LackingStepProps<Entered>) {
  const giveThis = async (given: GivenFactor) => entered(await give(lacking, given));
  return (
    <Suspense>
      <SecondStep asks={lacking.asks} give={giveThis} cancel={cancel} />
    </Suspense>
  );
}

interface SignInFormProps<Entered> extends Pick<LackingStepProps<Entered>, 'give' | 'entered'> {
  readonly begin: (username: string, password: string) => Promise<Entered | Lacking>;
  readonly words: { readonly username: string; readonly wrong: string };
  /** The user who was signed in before. */
  readonly known?: string;
}

export function SignInForm<Entered extends object>(props: SignInFormProps<Entered>) {
  const { begin, give, entered, words, known } = props;
  const { password: passwordLabel, signIn: label } = useSessionWords();
  const [username, setUsername] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const [lacking, setLacking] = useState<Lacking>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(undefined);
    try {
      const next = await begin(username.trim(), password);
      if (isLacking(next)) setLacking(next);
      else entered(next);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  if (lacking)
    return (
      <LackingStep lacking={lacking} give={give} entered={entered} cancel={() => setLacking(undefined)} />
    );
  return (
    <form className={layout.stack} onSubmit={(event) => void submit(event)}>
      {fault?.status === 401 ? <Notice tone="error">{words.wrong}</Notice> : <FaultNotice fault={fault} />}
      <TextField
        label={words.username}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        autoFocus={known === undefined}
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <PasswordField
        label={passwordLabel}
        name="password"
        autoComplete="current-password"
        required
        autoFocus={known !== undefined}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button look="main" type="submit" busy={isBusy}>
        {label}
      </Button>
    </form>
  );
}

export function SignInPage({ entered }: { readonly entered: (session: Session) => void }) {
  const words = useSessionWords();
  return (
    <SignInFrame title={words.signIn} lead={words.lead}>
      <div className={`${layout.stack} ${layout.loose}`}>
        <SignInForm begin={signIn} give={giveFactor} entered={entered} words={words} />
        <ByProvider />
        <p className={layout.soft}>{words.forgotten}</p>
      </div>
    </SignInFrame>
  );
}

/** A dialog over the current page that asks for the password again. */
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
      <SignInForm begin={signIn} give={giveFactor} entered={entered} words={words} known={username} />
      <ByProvider />
    </Dialog>
  );
}
