/** The search parameters of the conversations page: which conversation is open, and which are listed. */
import { getRouteApi } from '@tanstack/react-router';
import type { AnswerOf } from '../api/endpoints.ts';

const shown = ['unread', 'archived'] as const;
export const assignments = ['me', 'nobody'] as const;

export interface ConversationsSearch {
  /** Id of the open conversation. */
  readonly open?: string;
  readonly show?: (typeof shown)[number];
  readonly mine?: true;
  /** Filters by assignee. */
  readonly assigned?: (typeof assignments)[number];
  /** Filters by phone number. */
  readonly search?: string;
}

const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 100) : undefined;

export function searchOf({
  open,
  show,
  mine,
  assigned,
  search,
}: Record<string, unknown>): ConversationsSearch {
  const [id, text] = [textOf(open), textOf(search)];
  const wanted = shown.find((one) => one === show);
  const assignee = assignments.find((one) => one === assigned);
  return {
    ...(id !== undefined && { open: id }),
    ...(wanted !== undefined && { show: wanted }),
    ...(mine === true && { mine: true }),
    ...(assignee !== undefined && { assigned: assignee }),
    ...(text !== undefined && text !== '' && { search: text }),
  };
}

export const conversationsPath = '/conversations';
export const conversationsRoute = getRouteApi(conversationsPath);

export type ShownConversation = AnswerOf<'GET', '/api/v1/conversations/{id}'>;
