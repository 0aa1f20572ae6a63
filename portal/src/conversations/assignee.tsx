/** The assignee of a conversation, chosen above it and shown by initials in the list. */
import { useAct, useRead } from '../api/queries.ts';
import { textControl } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { showFault, showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { inNameOrder } from '../words/language.ts';
import type { ShownConversation } from './address.ts';
import styles from './conversations.module.css';
import { useConversationWords } from './texts.ts';

const path = '/api/v1/conversations/{id}/assign';

/** Shows nothing for a conversation that only its user can see, because there is nobody to choose. */
export function AssigneeField({ conversation }: { readonly conversation: ShownConversation }) {
  const words = useConversationWords();
  const { username } = useSession();
  const { id, assignee = '' } = conversation;
  const { data } = useRead('/api/v1/conversations/{id}/colleagues', { id, limit: 200 });
  const assigning = useAct(path);
  const colleagues = inNameOrder(data?.colleagues ?? [], (one) => one.username);
  const others = colleagues.map((one) => one.username).filter((name) => name !== username);
  if (others.length === 0 && assignee === '') return null;
  const named = [...new Set([username, assignee, ...others])].filter((name) => name !== '');
  // Assigns regardless of new messages, because everyone viewing the conversation sees the assignee within a second.
  const give = (user: string, undo?: () => void) =>
    assigning.mutate(
      { parameters: { id, user } },
      {
        onError: showFault,
        onSuccess() {
          const text = user === '' ? words.assignedToNobody : words.assignedTo(user);
          showToast({ text, ...(undo && { undo }) });
        },
      },
    );
  return (
    <label className={`${styles.field} ${layout.beside} ${layout.soft}`}>
      {words.assignee}
      <select
        className={textControl}
        value={assigning.isPending ? String(assigning.variables.parameters.user) : assignee}
        onChange={({ target }) => give(target.value, () => give(assignee))}
      >
        <option value="">{words.nobody}</option>
        {named.map((name) => (
          <option key={name} value={name}>
            {name === username ? words.me(name) : name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Initials({ of }: { readonly of: string }) {
  const words = useConversationWords();
  const text = words.assignedTo(of);
  return (
    <span className={styles.initials} title={text}>
      <span aria-hidden="true">{initialsOf(of)}</span>
      <span className="unseen">{text}</span>
    </span>
  );
}

/** The initials of the first two words of a name, or the first two letters of a single word. */
function initialsOf(username: string): string {
  const [first = '', second] = username.split('@', 1)[0]?.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters =
    second === undefined ? [...first].slice(0, 2) : [first, second].flatMap((word) => [...word].slice(0, 1));
  return letters.join('').toUpperCase();
}
