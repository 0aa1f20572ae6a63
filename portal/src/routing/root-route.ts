/** The route that all pages stand under; each room makes its own with it, and `app/router.tsx` lists them. */
import { createRootRoute } from '@tanstack/react-router';

export const rootRoute = createRootRoute();
