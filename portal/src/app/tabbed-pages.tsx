/** The pages that lead to the first of their tabs: Administration, and the user's own account. */
import { Navigate } from '@tanstack/react-router';
import { useSession } from '../session/session.ts';
import { NoRight } from './no-right.tsx';
import { navigationFor, type tabbed } from './pages.ts';
import { useFrameWords } from './texts.ts';

function First({ group }: { readonly group: keyof typeof tabbed }) {
  const words = useFrameWords();
  const first = navigationFor(useSession()).find((item) => item.group === group);
  if (first !== undefined) return <Navigate to={first.to} replace />;
  return <NoRight name={words.tabbed[group]} roles={['companyAdmin', 'emailAdmin']} />;
}

export function AdministrationPage() {
  return <First group="admin" />;
}

export function AccountPage() {
  return <First group="settings" />;
}
