/** The groups of an address book, to which is sent by their names. */
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct, useList } from '../api/queries.ts';
import { BackLink, Button } from '../design/button.tsx';
import { CursorList, RowLink } from '../design/cursor-list.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { TextField } from '../design/field.tsx';
import { FaultNotice } from '../design/notice.tsx';
import { Page } from '../design/page.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import styles from './people.module.css';
import { usePeopleWords } from './texts.ts';

export function GroupsPage() {
  const words = usePeopleWords();
  const { book } = useParams({ from: '/people/$book/groups' });
  const isAdministrator = hasOneOf(useSession(), ['companyAdmin']);
  const list = useList('/api/v1/addressbooks/{book}/groups', 'groups', { book });
  return (
    <Page
      title={words.groups}
      width="narrow"
      back={
        <BackLink to="/people" search={{ book }}>
          {words.back}
        </BackLink>
      }
    >
      {isAdministrator && <Making book={book} />}
      <CursorList
        label={words.groups}
        list={list}
        keyOf={({ name }) => name}
        empty={
          <EmptyState icon="people" title={words.noGroups}>
            {words.noGroupsText}
          </EmptyState>
        }
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
    </Page>
  );
}

function Making({ book }: { readonly book: string }) {
  const words = usePeopleWords();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const make = useAct('/api/v1/addressbooks/{book}/groups');
  return (
    <form
      className={styles.saving}
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate(
          { parameters: { book, name } },
          {
            onSuccess(made, isShown) {
              const params = { book, name: made.name };
              if (isShown) void navigate({ to: '/people/$book/groups/$name', params });
            },
          },
        );
      }}
    >
      <TextField
        label={words.newGroup}
        required
        maxLength={100}
        value={name}
        dir="auto"
        onChange={({ target }) => setName(target.value)}
      />
      <Button type="submit" busy={make.isPending}>
        {words.makeGroup}
      </Button>
      <FaultNotice fault={make.error} />
    </form>
  );
}
