/** Job types of a company in a provisioning file. */

import {
  generics,
  type JobTypeRecord,
  type JobTypeSettings,
  jobTypeRecords,
  maxMinutes,
  standardSettings,
  textNames,
} from '../../jobs/job-type.ts';
import { withoutAbsent } from '../../storage/stored-record.ts';
import { languages } from '../../wire/answers/words.ts';
import { categories } from '../../wire/category.ts';
import {
  explicitList,
  flag,
  needed,
  oneOfWords,
  optional,
  plainText,
  text,
  wholeNumber,
} from '../../yaml/fields.ts';
import { messageText, name, remove, tagFilter } from '../objects/fields.ts';
import { type Kind, keeping, namedIn } from '../objects/kind.ts';
import { lines } from '../objects/line.ts';
import { type Planned, planned } from '../objects/planned.ts';

const minutes = wholeNumber(1, maxMinutes);
const words = explicitList(text(plainText(40)), 'those of all languages');
const texts = Object.fromEntries(
  textNames.map((textName) => [textName, optional(messageText, undefined)] as const),
) as Record<(typeof textNames)[number], ReturnType<typeof optional<string, undefined>>>;

const fields = {
  name: needed(name, ''),
  generic: optional(oneOfWords(generics), 'GMM' as const),
  language: optional(oneOfWords(languages), undefined),
  expiryMinutes: optional(minutes, undefined),
  warningMinutes: optional(minutes, undefined),
  reminderMinutes: optional(minutes, undefined),
  globalTagFilter: optional(tagFilter, undefined),
  yes: optional(words, undefined),
  no: optional(words, undefined),
  digits: optional(flag, undefined),
  openEarly: optional(flag, undefined),
  wave: optional(wholeNumber(1, 100), undefined),
  waveMinutes: optional(minutes, undefined),
  reserve: optional(wholeNumber(0, 1_000), undefined),
  tellUnneeded: optional(flag, undefined),
  poolExhausted: optional(oneOfWords(['partial', 'refuse'] as const), undefined),
  category: optional(oneOfWords(categories), undefined),
  ...texts,
  remove,
} as const;

type Written = Pick<JobTypeRecord, 'company' | 'name' | 'generic'> &
  Partial<{ readonly [Key in keyof JobTypeSettings]: JobTypeSettings[Key] | undefined }>;
type JobTypePlan = Planned & Written;

export const jobTypes: Kind<JobTypePlan, JobTypeRecord> = {
  section: 'jobTypes',
  within: 'company',
  noun: 'this job type',
  /** A job type to be removed needs only its name. */
  read: planned(fields, { needs: ['generic'] }),
  keyField: 'name',
  keyOf: ({ company, name }) => `${company}\n${name}`,
  load: (reading, scope) => jobTypeRecords.read(reading, { company: namedIn(scope, 'companies').keys }),
  after({ place: _, fieldPlaces: __, resets: ___, remove: ____, ...asked }, before, _____, keeps) {
    const settings = withoutAbsent(asked);
    return keeping({ ...standardSettings(asked.generic), ...settings }, before, keeps);
  },
  describe: lines(({ name, company }) => `job type ${name} in ${company}`, {
    ordinary: ({ generic }) => standardSettings(generic),
  }),
  create: jobTypeRecords.put,
  change: jobTypeRecords.put,
  remove: jobTypeRecords.remove,
};
