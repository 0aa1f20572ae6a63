/** The page of a list: its items by their cursor, or why there are none; its filters; and the way to create an item. */
import type { ReactNode } from 'react';
import { CursorList, type CursorListProps } from './cursor-list.tsx';
import { EmptyState } from './empty-state.tsx';
import type { IconName } from './icons.tsx';
import layout from './layout.module.css';
import { Page, type PageProps } from './page.tsx';

interface ResourcePageProps<Item>
  extends Omit<PageProps, 'children'>,
    Omit<CursorListProps<Item>, 'label' | 'empty'> {
  /** The name of the list, if the title of the page does not give it. */
  readonly label?: string;
  /** The main action of the page. While the list is empty, it is shown where the list will be. */
  readonly make?: ReactNode;
  /** Shown above the list: a search, or a form that adds to the list. */
  readonly above?: ReactNode;
  /** Shown instead of the list when it is empty. */
  readonly none: { readonly icon: IconName; readonly title: string; readonly text: string };
}

export function ResourcePage<Item>(props: ResourcePageProps<Item>) {
  const { label, make, above, none, list, columns, keyOf, actions, ...page } = props;
  const isEmpty = list.items.length === 0;
  return (
    <Page {...page} actions={actions ?? (!isEmpty && make)}>
      {above && <div className={`${layout.stack} ${layout.above}`}>{above}</div>}
      <CursorList
        label={label ?? page.title}
        list={list}
        columns={columns}
        keyOf={keyOf}
        empty={
          <EmptyState icon={none.icon} title={none.title} action={make}>
            {none.text}
          </EmptyState>
        }
      />
    </Page>
  );
}
