/** What becomes of an operation of Helicone's API: it works here unchanged, another does its work, it comes later, or it stays out. */
export type Fate = 'here' | 'elsewhere' | 'later' | 'refused';

export interface HeliconeOperations {
  readonly group: string;
  readonly fate: Fate;
  /** What to use instead, or why it stays out; empty where nothing is to be said. */
  readonly sentence: string;
  /** Method and path of each, with Helicone's names of parameters. */
  readonly operations: readonly string[];
}

/** Lines of method and path. */
export function lines(text: string): readonly string[] {
  return text.trim().split(/\s*\n\s*/);
}
