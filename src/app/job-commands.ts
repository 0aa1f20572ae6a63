/** What an operator starts or rehearses for a user: work of the running server, which knows routes and numbers. */

import { findAccountByUsername } from '../accounts/account.ts';
import { callerOf } from '../accounts/caller.ts';
import { ServiceError } from '../foundation/errors.ts';
import { rehearse } from '../jobs/rehearse.ts';
import { type Starting, startJob } from '../jobs/start-job.ts';
import type { StartParameter, StartRequest } from '../jobs/start-parameters.ts';
import type { Commands } from './control.ts';

export interface JobCommandInput extends Omit<StartRequest, 'keep'> {
  readonly username: string;
  readonly given: readonly StartParameter[];
}

export function jobCommands(starting: Starting): Commands {
  const { sending } = starting;
  async function callerIn({ username }: JobCommandInput) {
    const account = await sending.store.read(findAccountByUsername, username);
    if (account === undefined) throw new ServiceError('not_found', `There is no user ${username}.`);
    return callerOf(account);
  }
  return {
    async 'start-job'(input) {
      const { given, ...request } = input as JobCommandInput;
      return startJob(starting, await callerIn(input as JobCommandInput), { ...request, keep: false }, given);
    },
    async 'rehearse-job'(input) {
      const { given, ...request } = input as JobCommandInput;
      return rehearse(sending, await callerIn(input as JobCommandInput), { ...request, keep: false }, given);
    },
  };
}
