/** Shown in place of a page that the user has no right to: which role is missing, and who can give it. */
import type { Role } from '../../../src/accounts/role.ts';
import { useRead } from '../api/queries.ts';
import { ButtonLink } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';
import { useRoleNames } from '../design/role-names.ts';
import { language } from '../words/language.ts';
import { useLaterWords } from './later-texts.ts';
import { useFrameWords } from './texts.ts';

export function NoRight({ name, roles }: { readonly name: string; readonly roles: readonly Role[] }) {
  const words = useFrameWords();
  const later = useLaterWords();
  const roleNames = useRoleNames();
  const { data, isPending } = useRead('/portal/api/administrators', {});
  const missing = new Intl.ListFormat(language, { type: 'disjunction' }).format(
    roles.map((role) => roleNames[role]),
  );
  const administrators = data?.administrators ?? [];
  return (
    <Page title={name} width="narrow">
      <EmptyState
        icon="key"
        title={later.noRight(missing)}
        action={<ButtonLink to="/">{words.toStart}</ButtonLink>}
      >
        {!isPending &&
          (administrators.length === 0
            ? later.askAdministrator
            : later.askOneOf(new Intl.ListFormat(language, { type: 'disjunction' }).format(administrators)))}
      </EmptyState>
    </Page>
  );
}
