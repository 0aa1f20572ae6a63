/** Sends an SMS by a carrier to try it, and shows what became of the latest ones. */
import { useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useRead } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Answered } from '../design/answered.tsx';
import { ItemTable } from '../design/cursor-list.tsx';
import { ReasonText } from '../design/fault-text.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { Badge, StatusBadge, type Tone } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { useNetworkWords } from './texts.ts';

const path = '/api/v1/operator/carriers/{name}/tests';
type Test = AnswerOf<'GET', typeof path>['tests'][number];

/** Nobody announces that a test was not taken in time. */
const pauseAfter = ({ tests }: AnswerOf<'GET', typeof path>) =>
  tests.some(({ state }) => state === 'waiting') ? 1_000 : undefined;

export function CarrierTests({ name }: { readonly name: string }) {
  const words = useNetworkWords();
  const act = useAct(path);
  const form = formOf(act, useState({ to: '', from: '', message: '' }));
  const read = useRead(path, { name }, { live: ['tests'], pauseAfter });
  const send = () => {
    const given = Object.entries(form.values).filter(([, value]) => value.trim() !== '');
    act.mutate({ parameters: { name, to: form.values.to, ...Object.fromEntries(given) } });
  };
  return (
    <Section title={words.tryIt}>
      <div className={layout.stack}>
        <ActForm form={form} submit={send} label={words.sendTest}>
          <p>{words.tryLead}</p>
          <div className={layout.grid}>
            <TextField
              label={words.to}
              type="tel"
              required
              maxLength={100}
              autoComplete="off"
              {...form.field('to')}
            />
            <TextField
              label={words.from}
              optional
              maxLength={100}
              autoComplete="off"
              {...form.field('from')}
            />
            <TextField
              label={words.message}
              optional
              maxLength={160}
              autoComplete="off"
              {...form.field('message')}
            />
          </div>
        </ActForm>
        <Answered read={read} rows={2}>
          {({ tests }) => tests.length > 0 && <Tests tests={tests} />}
        </Answered>
      </div>
    </Section>
  );
}

function Tests({ tests }: { readonly tests: readonly Test[] }) {
  const words = useNetworkWords();
  return (
    <ItemTable
      label={words.tests}
      items={tests}
      keyOf={({ id }) => id}
      columns={[
        { title: words.to, place: 'main', width: '9.5rem', cell: ({ to }) => <PhoneNumber number={to} /> },
        {
          title: words.from,
          place: 'below',
          isNamed: true,
          width: '8rem',
          cell: ({ from }) => <bdi>{from}</bdi>,
        },
        { title: words.outcome, place: 'below', cell: (test) => <Answer {...test} /> },
        {
          title: words.state,
          place: 'aside',
          width: '11rem',
          cell: ({ state, status }) =>
            status === undefined ? (
              <Badge tone={tones[state]}>{words.testStates[state]}</Badge>
            ) : (
              <StatusBadge status={status} />
            ),
        },
        {
          title: words.when,
          place: 'below',
          width: '10rem',
          cell: ({ asked, operator }) => (
            <span className={layout.wraps}>
              <Time at={asked} /> <bdi>{operator}</bdi>
            </span>
          ),
        },
      ]}
    />
  );
}

const tones: Readonly<Record<Test['state'], Tone>> = {
  waiting: 'moving',
  notBound: 'failed',
  accepted: 'moving',
  refused: 'failed',
  notTaken: 'failed',
  unanswered: 'waiting',
};

function Answer(test: Test) {
  const words = useNetworkWords();
  return (
    <>
      <Outcome {...test} />
      {test.conversation !== undefined && (
        <details>
          <summary>{words.conversation}</summary>
          <pre className={`${layout.well} ${layout.scrolls}`}>{test.conversation}</pre>
        </details>
      )}
    </>
  );
}

function Outcome({ state, reason, reasonValues, carrierMessageId = '', reported, errorCode }: Test) {
  const words = useNetworkWords();
  if (state === 'accepted')
    return (
      <span className={layout.wraps}>
        {words.acceptedAs} <bdi>{carrierMessageId}</bdi>
        {reported === undefined ? `, ${words.noReceipt}` : errorCode && `, ${words.code} ${errorCode}`}
      </span>
    );
  return (
    <span className={layout.wraps}>
      {state === 'notBound' && words.noConnection}
      {reason !== undefined && <ReasonText reason={reason} values={reasonValues} />}
    </span>
  );
}
