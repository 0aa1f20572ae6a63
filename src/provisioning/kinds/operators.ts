/** Operators in a provisioning file, who administer the service. */
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
import { lines } from '../objects/line.ts';
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
  describe: lines(({ username }) => `operator ${username}`, { keys: ['username'] }),
  fileFaults: bothPasswords,
  faultsOf({ username, remove, password, passwordHash, place }, view) {
    if (remove || view.before(operators).has(username)) return [];
    if (password !== undefined || passwordHash !== undefined) return [];
    return [{ place, sentence: 'a new operator needs a "password" or a "passwordHash"' }];
  },
  slowFaults: weakPassword,
  protect: hashed,
  create: operatorRecords.put,
  change: operatorRecords.put,
  remove: operatorRecords.remove,
  news: ['accounts'],
};
