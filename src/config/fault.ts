/** A fault of the environment. It never holds the value of a secret. */
export interface Fault {
  readonly variable: string;
  /** Where it was written, such as `.env:3`; undefined: in the environment, or nowhere. */
  readonly place?: string | undefined;
  /** Continues a sentence that begins with the variable. */
  readonly problem: string;
  readonly remedy: string;
}
