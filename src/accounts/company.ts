/** The company that pays for its users' messages. */

export interface Company {
  readonly id: number;
  readonly name: string;
  /** Nobody of an inactive company gets in. */
  readonly active: boolean;
  /** ISO 3166 codes of those that the company may send to; undefined is all. */
  readonly countries: readonly string[] | undefined;
  /** SMS parts that the company may send in all; undefined is no limit. */
  readonly quotaParts: number | undefined;
  /** For users without a default sender of their own. */
  readonly defaultSender: string | undefined;
}
