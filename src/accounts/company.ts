/** The company that pays for its users' messages. */

export interface Company {
  readonly id: number;
  readonly name: string;
  /** Nobody of an inactive company gets in. */
  readonly active: boolean;
  /** SMS parts that the company may send in all; undefined is no limit. */
  readonly quotaParts: number | undefined;
  /** For users without a default sender of their own. */
  readonly defaultSender: string | undefined;
}
