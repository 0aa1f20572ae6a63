/** A text to people of a run, from the number that asked them: its parts, and how many get it, are shown before it is sent. */
import { useState } from 'react';
import { countParts } from '../../../src/wire/sms/segments.ts';
import { useDraft } from '../browser/draft.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Choice } from '../design/field.tsx';
import { useLaterWords } from '../design/later-texts.ts';
import layout from '../design/layout.module.css';
import { MessageField } from '../design/message-field.tsx';
import { FaultNotice } from '../design/notice.tsx';
import { showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { keyOf, nameOf, type Run, type RunPerson, whomOf } from './run.ts';
import { useRunAct } from './taken-in.ts';
import { useJobWords } from './texts.ts';

type Audience = 'all' | 'silent' | 'assigned';

interface WriteDialogProps {
  readonly run: Run;
  /** The only person who gets the text; absent for a choice of many. */
  readonly person?: RunPerson;
  readonly close: () => void;
}

export function WriteDialog({ run, person, close }: WriteDialogProps) {
  const words = useJobWords();
  const later = useLaterWords();
  const { username } = useSession();
  const { yes, no, asked } = run.people;
  const [to, setTo] = useState<Audience>('silent');
  const [text, setText, forget] = useDraft(
    `run-text.${username}.${run.id}.${person === undefined ? 'many' : keyOf(person)}`,
    '',
  );
  const tell = useRunAct('/api/v1/runs/{id}/tell');
  const counts: Readonly<Record<Audience, number>> = {
    all: yes + no + asked,
    silent: asked,
    assigned: run.found,
  };
  const people = person === undefined ? counts[to] : 1;
  const isEmpty = text.trim() === '' || people === 0;
  const audience = person === undefined ? { to } : whomOf(person);
  const send = () =>
    tell.run({ id: Number(run.id), message: text, ...audience }, () => {
      forget(text);
      close();
      showToast({ text: words.textIsSent(people) });
    });
  return (
    <Dialog title={person === undefined ? words.writeTo : words.writeToOne(nameOf(person))} close={close}>
      <form
        className={layout.stack}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isEmpty && !tell.isPending) send();
        }}
      >
        {person === undefined && (
          <Choice<Audience>
            label={words.to}
            value={to}
            options={(['silent', 'assigned', 'all'] as const).map((one) => [
              one,
              `${words.audiences[one]} (${counts[one]})`,
            ])}
            onChange={setTo}
          />
        )}
        <MessageField label={words.text} text={text} onChange={setText} autoFocus />
        <p role="status">{isEmpty ? words.nobodyYet : words.cost(people, people * countParts(text))}</p>
        <FaultNotice fault={tell.error} />
        <div className={layout.buttons}>
          <Button onClick={close}>{later.cancel}</Button>
          <Button look="main" type="submit" busy={tell.isPending} disabled={isEmpty}>
            {words.send}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
