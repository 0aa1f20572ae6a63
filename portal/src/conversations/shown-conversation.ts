/** A conversation as the server shows it, with its latest messages. */
import type { AnswerOf } from '../api/endpoints.ts';

export type ShownConversation = AnswerOf<'GET', '/api/v1/conversations/{id}'>;
