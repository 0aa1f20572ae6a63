/** One group: its members, and how they join and leave. */
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange, useList, useRead } from '../api/queries.ts';
import { formOf, LineForm } from '../design/act-form.tsx';
import { BackLink, Button } from '../design/button.tsx';
import { Removal } from '../design/confirm-dialog.tsx';
import { CursorList, RowLink } from '../design/cursor-list.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { TextField } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Page } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { groupedNumber } from '../words/numbers.ts';
import { usePeopleWords } from './texts.ts';

const path = '/api/v1/addressbooks/{book}/groups/{name}';

export function GroupPage() {
  const words = usePeopleWords();
  const { book, name } = useParams({ from: '/people/$book/groups/$name' });
  const isAdministrator = hasOneOf(useSession(), ['companyAdmin']);
  const live = ['groups', 'contacts'];
  const list = useList(path, 'members', { book, name }, { live });
  const managed = useRead(path, { book, name, limit: 1 }, { live }).data?.managed === true;
  const canChange = isAdministrator && !managed;
  const change = useChange(path);
  const takeOut = (member: string) => change.mutate({ parameters: { book, name, remove: [member] } });
  return (
    <Page
      title={name}
      width="narrow"
      back={
        <BackLink to="/people/$book/groups" params={{ book }}>
          {words.groups}
        </BackLink>
      }
      actions={
        canChange && (
          <Removal
            path={path}
            parameters={{ book, name }}
            label={words.removeGroup}
            question={words.removeGroupSure(`\u2068${name}\u2069`)}
            removed={words.removed}
            next={{ to: '/people/$book/groups', params: { book } }}
          />
        )
      }
    >
      <div className={`${layout.stack} ${layout.above}`}>
        {managed && <Notice>{words.managedGroup}</Notice>}
        {canChange && <Joining book={book} name={name} />}
        <FaultNotice fault={change.error} />
      </div>
      <CursorList
        label={words.members}
        list={list}
        keyOf={({ member }) => member}
        empty={<EmptyState icon="people" title={words.noMembers} />}
        columns={[
          {
            title: words.name,
            place: 'main',
            cell: ({ contact, name: who }) =>
              contact === undefined ? (
                <bdi>{who ?? words.noName}</bdi>
              ) : (
                <RowLink to="/people/$book/person/$id" params={{ book, id: contact }}>
                  <bdi>{who ?? words.noName}</bdi>
                </RowLink>
              ),
          },
          {
            title: words.number,
            place: 'below',
            cell: ({ phone }) => phone !== undefined && <PhoneNumber number={phone} />,
          },
          ...(canChange ? [takingOut(words, takeOut)] : []),
        ]}
      />
    </Page>
  );
}

interface GroupMember {
  readonly member: string;
  readonly name?: string;
  readonly phone?: string;
}

function takingOut(words: ReturnType<typeof usePeopleWords>, takeOut: (member: string) => void) {
  return {
    title: words.remove,
    place: 'aside' as const,
    width: '4rem',
    cell: ({ member, name, phone }: GroupMember) => (
      <Button
        small
        look="quiet"
        aria-label={words.takeOut(name ?? groupedNumber(phone ?? member))}
        onClick={() => takeOut(member)}
      >
        <Icon name="close" size={15} />
      </Button>
    ),
  };
}

interface OfGroup {
  readonly book: string;
  readonly name: string;
}

function Joining({ book, name }: OfGroup) {
  const words = usePeopleWords();
  const change = useChange(path);
  const form = formOf(change, useState({ number: '' }));
  const { number } = form.values;
  const onSuccess = () => form.set({ number: '' });
  return (
    <div className={layout.above}>
      <LineForm
        form={form}
        submit={() => change.mutate({ parameters: { book, name, add: [number] } }, { onSuccess })}
        label={words.add}
      >
        <TextField
          label={words.addMember}
          hint={words.numberHint(useSession().company.countryCode)}
          type="tel"
          required
          {...form.field('number')}
        />
      </LineForm>
    </div>
  );
}
