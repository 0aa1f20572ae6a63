/** How a room declares its pages: the path, what is loaded for it, and its place in the navigation. */
import { createRootRoute, createRoute, type RouteComponent } from '@tanstack/react-router';
import type { Role } from '../../../src/accounts/role.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import type { IconName } from '../design/icons.tsx';
import type { Pair } from '../words/words.ts';

export const rootRoute = createRootRoute();

/** Who looks at the navigation. */
type Viewer = Pick<AnswerOf<'GET', '/portal/api/session'>, 'roles' | 'company'>;

/**
 * The groups of the navigation, apart from each other by a gap. The pages of `admin` are tabs of Administration (`/admin`),
 * and those of `settings` tabs of the user's own account (`/account`).
 */
export const groups = ['start', 'send', 'where', 'who', 'people', 'admin', 'settings'] as const;
export type GroupName = (typeof groups)[number];

/** A number beside the name of a page: how much of what is behind it waits. */
export interface Badge {
  readonly count: number;
  /** Whether there is more than was counted. */
  readonly isMore?: boolean;
  /** The number with what it counts, such as `3 unread`; for those who can't see where it stands. Made by `plural`. */
  readonly said: Pair<(count: number) => string>;
  /** Whether somebody has to do something now. */
  readonly isUrgent?: boolean;
}

/** The place of a page in the navigation and the palette, under the question that it answers. */
export interface Place {
  /** May differ by who looks: usage is of the company for an administrator, and of the user for others. */
  readonly group: GroupName | ((viewer: Viewer) => GroupName);
  readonly icon: IconName;
  readonly name: Pair;
  /** Users with one of these roles see the page; if absent, all users do. */
  readonly roles?: readonly Role[];
  /** Leaves the page out of the navigation where it would have nothing to show. */
  readonly isOffered?: (viewer: Viewer) => boolean;
  /** A hook that keeps the number beside the name up to date. */
  readonly useBadge?: () => Badge | undefined;
  /** The place in the bar at the bottom of a phone, which has room for four. */
  readonly inBar?: {
    readonly rank: number;
    /** A shorter name, for a page whose own name is too long. */
    readonly name?: Pair;
    /** The page leaves the bar when there are more than four. */
    readonly givesWay?: true;
    /** Only users with one of these roles have the page in the bar. */
    readonly roles?: readonly Role[];
  };
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
    ...(validateSearch && { validateSearch: onlyWhat(validateSearch) }),
    ...(place && { staticData: { item: { ...place, to: path } } }),
  });
}

/** Takes out what the page has refused: the router would hand it on all the same, as it came with the URL. */
function onlyWhat<Search>(validate: (search: Readonly<Record<string, unknown>>) => Search) {
  return (search: Readonly<Record<string, unknown>>): Search => {
    const nothing = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
    return { ...nothing, ...validate(search) };
  };
}
