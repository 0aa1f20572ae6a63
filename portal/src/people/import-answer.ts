/** What the server tells of a file that is looked at. */
import type { AnswerOf } from '../api/endpoints.ts';

export type Preview = AnswerOf<'POST', '/api/v1/addressbooks/{book}/import/preview'>;
export type FileColumns = Preview['columns'];
