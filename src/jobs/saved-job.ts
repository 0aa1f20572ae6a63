/** Saved jobs (API: saved job): what is asked of whom, as their owner has set it up. */
import type { TagFilter } from '../wire/tag-filter.ts';

/** Whom a GMM job asks, or leaves out. Filters are in string notation in the store, and read when it starts. */
export interface SavedRecipients {
  readonly numbers: readonly string[];
  readonly tagFilter?: string;
  readonly savedTagFilters: readonly string[];
  readonly groups: readonly string[];
}

export interface SavedEscalation {
  /** From the start. */
  readonly afterMinutes: number;
  readonly tagFilter: string;
  /** Of the task from then on; absent: as before. */
  readonly goal?: number;
}

export interface SavedTask {
  readonly tagType: string;
  readonly tagValue: string;
  readonly goal: number;
  readonly escalations: readonly SavedEscalation[];
}

/** `recipients`, `exclude` and `responseGoal` are those of GMM jobs, `tasks` of GMA ones. */
export interface SavedJobContent {
  readonly message: string;
  readonly recipients?: SavedRecipients;
  readonly exclude?: Pick<SavedRecipients, 'numbers' | 'tagFilter'>;
  readonly responseGoal?: number;
  readonly tasks?: readonly SavedTask[];
}

export interface SavedJob {
  /** Of the job within its company. */
  readonly id: number;
  readonly companyId: number;
  /** Its system user. */
  readonly ownerId: number;
  readonly name: string;
  readonly type: string;
  readonly content: SavedJobContent;
}

/** What a call changes of a saved job for one run. */
export interface StartRequest {
  readonly jobId: number;
  readonly jobName?: string | undefined;
  readonly message?: string | undefined;
  readonly numbers?: readonly string[] | undefined;
  readonly filter?: TagFilter | undefined;
  readonly savedFilters?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly excludeNumbers?: readonly string[] | undefined;
  readonly excludeFilter?: TagFilter | undefined;
  readonly keep: boolean;
  readonly goal?: number | undefined;
  /** Milliseconds since the epoch; absent: now. */
  readonly startAt?: number | undefined;
}
