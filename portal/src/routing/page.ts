/** How a room declares its pages: the path, what is loaded for it, and its place in the navigation. */
import { createRootRoute, createRoute, type RouteComponent } from '@tanstack/react-router';
import type { Role } from '../../../src/accounts/role.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import type { IconName } from '../design/icons.tsx';
import type { Pair } from '../words/words.ts';

export const rootRoute = createRootRoute();

/** Who looks at the navigation. */
type Viewer = Pick<AnswerOf<'GET', '/portal/api/session'>, 'roles' | 'company'>;

/** The groups of the navigation: send this · where is it · who answered · people · administration · settings. */
export const groups = ['start', 'send', 'where', 'who', 'people', 'admin', 'settings'] as const;

/** The place of a page in the navigation and the palette, under the question that it answers. */
export interface Place {
  readonly group: (typeof groups)[number];
  readonly icon: IconName;
  readonly name: Pair;
  /** Users with one of these roles see the page; if absent, all users do. */
  readonly roles?: readonly Role[];
  /** Leaves the page out of the navigation where it would have nothing to show. */
  readonly isOffered?: (viewer: Viewer) => boolean;
  /**
   * Whether the page is in the bar at the bottom of a phone, which has room for four. A pair is a shorter name in both
   * languages, for a page whose own name is too long.
   */
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
  /** The path below `/portal`. */
  readonly path: Path;
  /** Made by `lazyRouteComponent`, so that everything the page needs is loaded with it. */
  readonly component: RouteComponent;
  /** Reads what the URL holds besides the path. */
  readonly validateSearch?: (search: Readonly<Record<string, unknown>>) => Search;
  readonly place?: Place;
}

/** Declares a route below the root, with its place in the navigation. */
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
