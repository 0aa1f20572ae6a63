/** The groups of an address book, which can be sent to by name. */
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct, useList } from '../api/queries.ts';
import { formOf, LineForm } from '../design/act-form.tsx';
import { BackLink } from '../design/button.tsx';
import { RowLink } from '../design/cursor-list.tsx';
import { TextField } from '../design/field.tsx';
import { ResourcePage } from '../design/resource-page.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { usePeopleWords } from './texts.ts';

export function GroupsPage() {
  const words = usePeopleWords();
  const { book } = useParams({ from: '/people/$book/groups' });
  const isAdministrator = hasOneOf(useSession(), ['companyAdmin']);
  return (
    <ResourcePage
      title={words.groups}
      width="narrow"
      back={
        <BackLink to="/people" search={{ book }}>
          {words.back}
        </BackLink>
      }
      above={isAdministrator && <Making book={book} />}
      list={useList('/api/v1/addressbooks/{book}/groups', 'groups', { book }, { live: ['groups'] })}
      keyOf={({ name }) => name}
      none={{ icon: 'people', title: words.noGroups, text: words.noGroupsText }}
      columns={[
        {
          title: words.group,
          place: 'main',
          cell: ({ name }) => (
            <RowLink to="/people/$book/groups/$name" params={{ book, name }}>
              <bdi>{name}</bdi>
            </RowLink>
          ),
        },
      ]}
    />
  );
}

function Making({ book }: { readonly book: string }) {
  const words = usePeopleWords();
  const navigate = useNavigate();
  const make = useAct('/api/v1/addressbooks/{book}/groups');
  const form = formOf(make, useState({ name: '' }));
  const submit = () =>
    make.mutate(
      { parameters: { book, name: form.values.name } },
      {
        onSuccess({ name }, isShown) {
          if (isShown) void navigate({ to: '/people/$book/groups/$name', params: { book, name } });
        },
      },
    );
  return (
    <LineForm form={form} submit={submit} label={words.makeGroup}>
      <TextField label={words.newGroup} required maxLength={100} dir="auto" {...form.field('name')} />
    </LineForm>
  );
}
