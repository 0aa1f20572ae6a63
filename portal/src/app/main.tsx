/** Starts the portal: the theme, the session, and then the pages. */
import '../design/tokens.css';
import '../design/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { isOfOperators } from '../api/client.ts';
import { makeQueryClient, whenUnseen } from '../api/queries.ts';
import { keep, kept } from '../browser/kept.ts';
import { showFault } from '../design/toasts.tsx';
import { SessionGate } from '../session/session-gate.tsx';
import { router } from './router.tsx';

const OperatorGate = lazy(async () => ({
  default: (await import('../operator/operator-gate.tsx')).OperatorGate,
}));
const Gate = isOfOperators ? OperatorGate : SessionGate;

/** Another reload so soon after the last would start a reload loop. */
const pauseMs = 30_000;

reloadAfterUpdate();
whenUnseen(showFault);
const element = document.getElementById('portal');
if (element === null) throw new Error('the page has no place for the portal');
const client = makeQueryClient();
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Suspense>
        <Gate>
          <RouterProvider router={router} />
        </Gate>
      </Suspense>
    </QueryClientProvider>
  </StrictMode>,
);

/** A server that was updated meanwhile no longer has the files of the pages that this tab would load next. */
function reloadAfterUpdate(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(kept('reloaded', 'tab') ?? 0);
    if (performance.timeOrigin + performance.now() - last < pauseMs) return;
    if (!keep('reloaded', String(performance.timeOrigin + performance.now()), 'tab')) return;
    event.preventDefault();
    location.reload();
  });
}
