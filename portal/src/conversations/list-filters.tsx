/** Which conversations are listed; it stands in the address. */
import { useNavigate } from '@tanstack/react-router';
import { useTypedSearch } from '../browser/typed-search.ts';
import { CheckField, Choice, SelectField, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { hasOneOf, useSession } from '../session/session.ts';
import { assignments, type ConversationsSearch, conversationsPath, conversationsRoute } from './address.ts';
import styles from './conversations.module.css';
import { useConversationWords } from './texts.ts';

type Shown = NonNullable<ConversationsSearch['show']> | 'all';

export function ListFilters() {
  const words = useConversationWords();
  const session = useSession();
  const { show = 'all', mine, assigned = '', search = '' } = conversationsRoute.useSearch();
  const navigate = useNavigate({ from: conversationsPath });
  const change = (
    changed: { readonly [Name in keyof ConversationsSearch]: ConversationsSearch[Name] | undefined },
  ) =>
    void navigate({
      replace: true,
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, value]) => value)),
    });
  const [typed, setTyped] = useTypedSearch(search, (next) => change({ search: next }));
  return (
    <div className={`${styles.filters} ${layout.stack} ${layout.tight}`}>
      <TextField
        label={<span className="unseen">{words.search}</span>}
        type="search"
        placeholder={words.search}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Choice<Shown>
        label={words.which}
        hideLabel
        value={show}
        options={[
          ['all', words.all],
          ['unread', words.unread],
          ['archived', words.archived],
        ]}
        onChange={(next) => change({ show: next === 'all' ? undefined : next })}
      />
      <SelectField
        label={<span className="unseen">{words.assignee}</span>}
        value={assigned}
        onChange={({ target }) => change({ assigned: assignments.find((one) => one === target.value) })}
      >
        <option value="">{words.assignedOrNot}</option>
        <option value="me">{words.assignedToMe}</option>
        <option value="nobody">{words.assignedToNobody}</option>
      </SelectField>
      {hasOneOf(session, ['companyAdmin']) && (
        <CheckField
          label={words.mine}
          checked={mine === true}
          onChange={({ target }) => change({ mine: target.checked ? true : undefined })}
        />
      )}
    </div>
  );
}
