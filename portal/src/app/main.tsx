/** Starts the portal: the look, the session, and behind it the pages. */
import '../design/tokens.css';
import '../design/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { makeQueryClient, whenUnseen } from '../api/queries.ts';
import { showFault } from '../design/toasts.tsx';
import { SessionGate } from '../session/session-gate.tsx';
import { reloadAfterUpdate } from './reload-after-update.ts';
import { router } from './router.tsx';

reloadAfterUpdate();
whenUnseen(showFault);
const element = document.getElementById('portal');
if (element === null) throw new Error('the page has no place for the portal');
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={makeQueryClient()}>
      <SessionGate>
        <RouterProvider router={router} />
      </SessionGate>
    </QueryClientProvider>
  </StrictMode>,
);
