/** Operators of a provisioning file, who administer the service. */
import { type OperatorRecord, operatorRecords } from '../../accounts/logins.ts';
import { needed } from '../../yaml/fields.ts';
import {
  bothPasswords,
  hashed,
  passwordFields,
  remove,
  username,
  type WithPassword,
  weakPassword,
} from '../objects/fields.ts';
import type { Kind } from '../objects/kind.ts';
import { line } from '../objects/line.ts';
import { planned } from '../objects/planned.ts';

interface OperatorPlan extends WithPassword {
  readonly username: string;
}

export const operators: Kind<OperatorPlan, OperatorRecord> = {
  section: 'operators',
  within: 'file',
  noun: 'this operator',
  read: planned({ username: needed(username, ''), ...passwordFields, remove }),
  keyField: 'username',
  keyOf: ({ username }) => username,
  load: operatorRecords.all,
  after: ({ username, passwordHash }, before) => ({
    username,
    passwordHash: passwordHash ?? before?.passwordHash ?? '',
  }),
  describe: (edits) =>
    edits.map((edit) => line(edit, ({ username }) => `operator ${username}`, { keys: ['username'] })),
  fileFaults: bothPasswords,
  faults: (view) =>
    [...view.asked(operators).values()]
      .filter(({ username, remove }) => !(remove || view.before(operators).has(username)))
      .filter(({ password, passwordHash }) => password === undefined && passwordHash === undefined)
      .map(({ place }) => ({ place, sentence: 'a new operator needs a "password" or a "passwordHash"' })),
  secretFaults: weakPassword,
  protect: hashed,
  create: operatorRecords.put,
  change: operatorRecords.put,
  remove: operatorRecords.remove,
  news: ['accounts'],
};
