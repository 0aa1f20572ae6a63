/** The name of a message's status, as answers of all rooms describe it (API: Message status). */
import Type from 'typebox';
import { type StatusName, statusNames } from './message.ts';

export const statusNameSchema = Type.Unsafe<StatusName>({
  title: 'StatusName',
  type: 'string',
  enum: [...statusNames],
});
