import type { DeadLetterHead, DeadLetterPage, WholeDeadLetter } from '../ingest/dead-letter.ts';
import type { ReplayOutcome } from '../ingest/dead-letter-replay.ts';
import type { Observe } from '../model/observation.ts';

/** Exchanges that could not be stored. */
export interface DeadLetterPorts {
  readonly list: (page: DeadLetterPage) => { readonly letters: readonly DeadLetterHead[]; readonly next: string | null };
  readonly count: () => number;
  readonly read: (id: string) => Promise<WholeDeadLetter | undefined>;
  readonly replay: (ids: readonly string[]) => Promise<readonly ReplayOutcome[]>;
}

/** What the operator's room needs from the rest of the program. */
export interface OperatorPorts {
  readonly deadLetters: DeadLetterPorts;
  readonly observe: Observe;
}
