/** One of what waits for its time, as the API shows it. */
import type { AnswerOf } from '../api/endpoints.ts';

export type Scheduled = AnswerOf<'GET', '/api/v1/scheduled'>['scheduled'][number];
