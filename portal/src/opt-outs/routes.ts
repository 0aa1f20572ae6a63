/** The page of opt-outs. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';

const names = ['number', 'category', 'source'] as const;
type Filters = { readonly [Name in (typeof names)[number]]?: string };

export const optOutPages = [
  page({
    path: '/admin/opt-outs',
    component: lazyRouteComponent(() => import('./opt-outs-page.tsx'), 'OptOutsPage'),
    validateSearch: (search): Filters =>
      Object.fromEntries(
        names.flatMap((name) => (search[name] ? [[name, String(search[name]).slice(0, 100)]] : [])),
      ),
    place: { group: 'admin', icon: 'stop', name: ['Opt-outs', 'Avanmälningar'], roles: ['companyAdmin'] },
  }),
] as const;
