/** The page of a list: what is in it, by its cursor, or why nothing is; what narrows it; and the way to make one more. */
import type { ReactNode } from 'react';
import { CursorList, type CursorListProps } from './cursor-list.tsx';
import { EmptyState } from './empty-state.tsx';
import type { IconName } from './icons.tsx';
import layout from './layout.module.css';
import { Page, type PageProps } from './page.tsx';

interface ResourcePageProps<Item>
  extends Omit<PageProps, 'children'>,
    Omit<CursorListProps<Item>, 'label' | 'empty'> {
  /** The name of the list, where the title of the page does not say it. */
  readonly label?: string;
  /** The main act of the page; while there is nothing yet, it stands where the list will. */
  readonly make?: ReactNode;
  /** Above the list: what is looked for, or a form that adds to it. */
  readonly above?: ReactNode;
  /** In place of the list when there is nothing in it. */
  readonly none: { readonly icon: IconName; readonly title: string; readonly text: string };
}

export function ResourcePage<Item>(props: ResourcePageProps<Item>) {
  const { label, make, above, none, list, columns, keyOf, actions, ...page } = props;
  const isEmpty = list.items.length === 0;
  return (
    <Page {...page} actions={actions ?? (!isEmpty && make)}>
      {above && <div className={layout.above}>{above}</div>}
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
