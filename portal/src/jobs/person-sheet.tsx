/** What can be done about one person of a run: call, write, or answer for somebody who telephoned. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonLook } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Facts } from '../design/facts.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { useDesignWords } from '../design/texts.ts';
import { Time } from '../design/time.tsx';
import { groupedNumber } from '../words/numbers.ts';
import styles from './jobs.module.css';
import { isRunning, isUnclear, keyOf, nameOf, type Run, type RunPerson, whomOf } from './run.ts';
import { useRunAct, useTakenIn } from './taken-in.ts';
import { useJobWords } from './texts.ts';
import { WriteDialog } from './write-dialog.tsx';

/** What the board shows of a person, to see when an act has changed it. */
export function shownOf({ state, task, reserve, meaning }: RunPerson): string {
  return [state, task, reserve, meaning].join(' ');
}

/** What became of the question, as an SMS or as an e-mail. */
export function useDelivery(): (delivery: string) => string {
  const words = useJobWords();
  const { statuses } = useDesignWords();
  const all: Readonly<Record<string, string>> = { ...statuses, ...words.mails };
  return (delivery) => all[delivery] ?? delivery;
}

/** Answers for the person; what the person wrote is counted as that answer, and is shown so in the record. */
function useAnswering(run: Run, person: RunPerson, done?: () => void) {
  const accept = useRunAct('/api/v1/runs/{id}/accept');
  const decline = useRunAct('/api/v1/runs/{id}/decline');
  const { mark } = useTakenIn();
  const parameters = {
    id: Number(run.id),
    ...whomOf(person),
    ...(isUnclear(person) && { comment: 'last' as const }),
  };
  const taken = () => {
    mark(keyOf(person), shownOf(person));
    done?.();
  };
  return {
    yes: () => accept.run(parameters, taken),
    no: () => decline.run(parameters, taken),
    isPending: accept.isPending || decline.isPending,
    error: accept.error ?? decline.error,
  };
}

interface PersonProps {
  readonly run: Run;
  readonly person: RunPerson;
}

/** The three buttons beside a comment that is neither YES nor NO. */
export function AnswerButtons({ run, person }: PersonProps) {
  const words = useJobWords();
  const { isTakenIn } = useTakenIn();
  const { yes, no, isPending, error } = useAnswering(run, person);
  const [isWriting, setWriting] = useState(false);
  const isBusy = isPending || isTakenIn(keyOf(person), shownOf(person));
  const name = nameOf(person);
  return (
    <>
      <div className={styles.answers}>
        <Button look="main" busy={isBusy} aria-label={words.countAsYesOf(name)} onClick={yes}>
          {words.countAsYes}
        </Button>
        <Button busy={isBusy} aria-label={words.countAsNoOf(name)} onClick={no}>
          {words.no}
        </Button>
        <Button aria-label={words.replyOf(name)} onClick={() => setWriting(true)}>
          {words.reply}
        </Button>
      </div>
      <FaultNotice fault={error} />
      {isWriting && <WriteDialog run={run} person={person} close={() => setWriting(false)} />}
    </>
  );
}

export function PersonSheet({ run, person, close }: PersonProps & { readonly close: () => void }) {
  const words = useJobWords();
  const deliveryIn = useDelivery();
  const [isWriting, setWriting] = useState(false);
  const { yes, no, isPending, error } = useAnswering(run, person, close);
  const { phone, email, state, task, reserve, answer, answered, asked, delivery, level } = person;
  if (isWriting) return <WriteDialog run={run} person={person} close={close} />;
  return (
    <Dialog
      title={person.name || (phone === undefined ? nameOf(person) : groupedNumber(phone))}
      close={close}
    >
      <div className={layout.stack}>
        {answer !== undefined && (
          <p className={`${layout.sms} ${layout.large}`} dir="auto">
            {answer}
          </p>
        )}
        <div className={styles.facts}>
          <Facts
            facts={[
              [words.status, isUnclear(person) ? words.unclear : words.personStates[state]],
              [words.place, task !== undefined && (task || words.hasPlace)],
              [words.reserveTitle, reserve !== undefined && words.reserve(reserve)],
              [words.answeredAt, answered !== undefined && <Time key="answered" at={answered} full />],
              [words.askedAt, asked !== undefined && <Time key="asked" at={asked} full />],
              [words.delivery, delivery !== undefined && deliveryIn(delivery)],
              [words.levelTitle, String(level)],
              [words.email, email],
            ]}
          />
        </div>
        {phone !== undefined && (
          <a href={`tel:+${phone}`} className={buttonLook('plain')}>
            <Icon name="call" size={16} /> <PhoneNumber number={phone} />
          </a>
        )}
        {isRunning(run) && (
          <>
            <FaultNotice fault={error} />
            <div className={styles.answers}>
              {state !== 'yes' && (
                <Button look="main" busy={isPending} onClick={yes}>
                  {words.countAsYes}
                </Button>
              )}
              {state !== 'no' && (
                <Button busy={isPending} onClick={no}>
                  {state === 'yes' ? words.takeBack : words.countAsNo}
                </Button>
              )}
              {state !== 'waiting' && <Button onClick={() => setWriting(true)}>{words.write}</Button>}
            </div>
          </>
        )}
        {phone !== undefined && (
          <Link to="/people/by-number/$number" params={{ number: phone }}>
            {words.aboutNumber}
          </Link>
        )}
      </div>
    </Dialog>
  );
}
