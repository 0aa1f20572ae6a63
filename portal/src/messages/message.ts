/** One message as the API shows it. */
import type { AnswerOf } from '../api/endpoints.ts';

export type Message = AnswerOf<'GET', '/api/v1/messages/{id}'>;
