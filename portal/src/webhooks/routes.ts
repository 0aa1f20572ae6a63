/** The pages of webhooks: those of the company for administrators, and for others their own. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';

const list = lazyRouteComponent(() => import('./webhooks-page.tsx'), 'WebhooksPage');
const one = lazyRouteComponent(() => import('./webhook-page.tsx'), 'WebhookPage');
const make = lazyRouteComponent(() => import('./settings-form.tsx'), 'NewWebhookPage');
/** The attempt that is shown over the page. */
function readView({ attempt }: Readonly<Record<string, unknown>>): { readonly attempt?: number } {
  const number = Number(attempt);
  return Number.isSafeInteger(number) && number > 0 ? { attempt: number } : {};
}

const icon = 'out';
const name = ['Webhooks', 'Webhookar'] as const;

export const webhookPages = [
  page({
    path: '/admin/webhooks',
    component: list,
    place: { group: 'admin', icon, name, roles: ['companyAdmin'] },
  }),
  page({ path: '/admin/webhooks/new', component: make }),
  page({ path: '/admin/webhooks/$id', component: one, validateSearch: readView }),
  page({
    path: '/webhooks',
    component: list,
    place: {
      group: 'settings',
      icon,
      name,
      roles: ['send', 'jobs'],
      isOffered: ({ roles }) => !roles.includes('companyAdmin'),
    },
  }),
  page({ path: '/webhooks/new', component: make }),
  page({ path: '/webhooks/$id', component: one, validateSearch: readView }),
] as const;
