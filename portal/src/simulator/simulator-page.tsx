/** The simulated phones: those that have received something, and the selected one, from which the user can reply. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { BackLink, Button } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Page } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import pick from '../design/pick-list.module.css';
import { Time } from '../design/time.tsx';
import { SendFirst } from '../session/send-first.tsx';
import { Phone } from './phone.tsx';
import styles from './simulator.module.css';
import { useSimulatorWords } from './texts.ts';

const route = getRouteApi('/simulator');

export function SimulatorPage() {
  const words = useSimulatorWords();
  const { phone } = route.useSearch();
  return (
    <Page title={words.title} lead={words.lead}>
      <div className={`${pick.panes} ${styles.panes}`} data-open={phone !== undefined}>
        <div className={layout.stack}>
          <OtherPhone />
          <Phones />
        </div>
        {phone === undefined ? (
          <EmptyState icon="phone" title={words.pick}>
            {words.pickText}
          </EmptyState>
        ) : (
          <div>
            <BackLink to="/simulator" className={pick.back ?? ''}>
              {words.all}
            </BackLink>
            <Phone key={phone} number={phone} />
          </div>
        )}
      </div>
    </Page>
  );
}

function Phones() {
  const words = useSimulatorWords();
  const { phone } = route.useSearch();
  const read = useRead('/api/v1/simulator/phones', { limit: 50 }, { live: ['messages', 'batches'] });
  return (
    <Answered read={read} rows={4}>
      {({ phones }) =>
        phones.length === 0 ? (
          <EmptyState icon="phone" title={words.none} action={<SendFirst />}>
            {words.noneText}
          </EmptyState>
        ) : (
          <nav aria-label={words.phones} className={styles.phones}>
            <ul>
              {phones.map(({ number, message, time }) => (
                <li key={number}>
                  <Link
                    to="/simulator"
                    search={{ phone: number }}
                    className={`${pick.row} ${layout.line} ${layout.bare} ${layout.lazy}`}
                    activeProps={{}}
                    aria-current={number === phone ? 'true' : undefined}
                  >
                    <PhoneNumber number={number} />
                    <span className={layout.soft}>
                      <Time at={time} />
                    </span>
                    <span className={`${layout.clip} ${layout.soft}`} dir="auto">
                      {message}
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        )
      }
    </Answered>
  );
}

function OtherPhone() {
  const words = useSimulatorWords();
  const navigate = useNavigate({ from: '/simulator' });
  const [number, setNumber] = useState('');
  const take = (event: FormEvent) => {
    event.preventDefault();
    if (number.trim() !== '') void navigate({ search: { phone: number.trim() } });
  };
  return (
    <form className={layout.line} onSubmit={take}>
      <TextField
        label={words.other}
        type="tel"
        placeholder={words.otherHint}
        value={number}
        onChange={({ target }) => setNumber(target.value)}
      />
      <Button type="submit">{words.take}</Button>
    </form>
  );
}
