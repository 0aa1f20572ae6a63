/** How a room declares its pages: the path, what is loaded for it, and its place in the navigation. */
import { createRootRoute, createRoute, type RouteComponent } from '@tanstack/react-router';
import type { Role } from '../../../src/accounts/role.ts';
import type { IconName } from '../design/icons.tsx';
import type { Pair } from '../words/words.ts';

export const rootRoute = createRootRoute();

/** Send this · where is it · who answered · people · settings. */
export const groups = ['start', 'send', 'where', 'who', 'people', 'settings'] as const;

/** Where the navigation and the palette have a page: by the question that it answers. */
export interface Place {
  readonly group: (typeof groups)[number];
  readonly icon: IconName;
  readonly name: Pair;
  /** Users with one of these roles see it; all users, where it is left out. */
  readonly roles?: readonly Role[];
  /** In the bar at the bottom of a phone, which has room for four; with another name, where its own is too long. */
  readonly inBar?: true | Pair;
}

export interface NavigationItem extends Place {
  /** The path of the page. */
  readonly to: string;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    readonly item?: NavigationItem;
  }
}

interface Declaration<Path, Search> {
  /** Below `/portal`. */
  readonly path: Path;
  /** Made by `lazyRouteComponent`: what the page is made of is loaded with it. */
  readonly component: RouteComponent;
  /** What the URL says besides the path. */
  readonly validateSearch?: (search: Readonly<Record<string, unknown>>) => Search;
  readonly place?: Place;
}

/** A route below the root, with its place in the navigation. */
export function page<const Path extends string, Search = object>({
  path,
  component,
  validateSearch,
  place,
}: Declaration<Path, Search>) {
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    component,
    ...(validateSearch && { validateSearch }),
    ...(place && { staticData: { item: { ...place, to: path } } }),
  });
}
