import type { RequestId } from '../../src/model/ids.ts';
import type { RequestRecord } from '../../src/model/record/request-record.ts';
import type { Connections } from '../../src/store/engine/connections.ts';

export const sideNames = ['before', 'now'] as const;
export type SideName = (typeof sideNames)[number];

/** What is asked of a store; each answer has both bodies of its requests. */
export type Question =
  | { readonly kind: 'newest' }
  | { readonly kind: 'id'; readonly id: RequestId }
  | { readonly kind: 'search'; readonly words: string }
  | { readonly kind: 'session'; readonly sessionId: string };

export const newestRows = 10;
export const searchRows = 10;
export const sessionRows = 50;

export interface Answer {
  /** In the order of the page. */
  readonly ids: readonly string[];
  /** Of rows and bodies as JSON. */
  readonly characters: number;
}

/** A schema that is measured, on a store of its own. */
export interface Side {
  readonly name: SideName;
  /** Makes the tables of an empty store. */
  readonly open: (connections: Connections) => Promise<OpenSide>;
}

export interface OpenSide {
  /** @param token names the batch. */
  readonly insert: (records: readonly RequestRecord[], token: string) => Promise<void>;
  /** Ends at the rows: to make items of them is another room's work. */
  readonly ask: (question: Question) => Promise<Answer>;
}
