/** The schema of a message status name, as described in the answers of all rooms (API: Message status). */
import Type from 'typebox';
import { type StatusName, statusNames } from './message.ts';

export const statusNameSchema = Type.Unsafe<StatusName>({
  title: 'StatusName',
  type: 'string',
  enum: [...statusNames],
});
