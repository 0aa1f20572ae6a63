/** How a room says where its pages stand in the navigation: by the question that they answer. */
import type { Role } from '../../../src/accounts/role.ts';
import type { IconName } from '../design/icons.tsx';
import type { Language } from '../words/language.ts';

/** Send this · where is it · who answered · people · settings. */
export const groups = ['start', 'send', 'where', 'who', 'people', 'settings'] as const;

export interface NavigationItem {
  /** The path of its page, below `/portal`. */
  readonly to: string;
  readonly group: (typeof groups)[number];
  readonly icon: IconName;
  readonly name: Readonly<Record<Language, string>>;
  /** Whoever has one of these sees it; all, where it is left out. */
  readonly roles?: readonly Role[];
  /** Stands in the bar at the bottom of a phone, which has room for four; with another name, where its own is too long. */
  readonly inBar?: true | Readonly<Record<Language, string>>;
}
