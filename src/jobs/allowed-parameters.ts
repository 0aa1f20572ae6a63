/** Which parameters of /startsavedjob go with which generic type (API: rules 3 to 5). */
import type { Generic } from './job-type.ts';

const ofEvery = [
  ...(['jobid', 'jobname', 'message', 'scheduledstart', 'responsegoal'] as const),
  ...(['toaddressbookcustomtagfilter', 'toaddressbooktagfilterjson'] as const),
];
const ofMessages = [
  ...(['tonumbers', 'toaddressbooksavedtagfilters', 'toaddressbookgroups', 'tokeep'] as const),
  ...(['excludenumbers', 'excludecustomtagfilter', 'excludetagfilterjson'] as const),
];

export type StartParameter = (typeof ofEvery)[number] | (typeof ofMessages)[number];

export const allowedParameters: Readonly<Record<Generic, ReadonlySet<StartParameter>>> = {
  GMM: new Set([...ofEvery, ...ofMessages]),
  GMA: new Set(ofEvery),
};

export function isStartParameter(name: string): name is StartParameter {
  return (allowedParameters.GMM as ReadonlySet<string>).has(name);
}
