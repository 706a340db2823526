import type { OrganizationId } from '../../model/ids.ts';
import type { Connections } from '../engine/connections.ts';

/** What servers must do for the store to keep its promises, and whether they do. */
export interface CheckResult {
  readonly name: string;
  /** Undefined: it holds. */
  readonly fault?: string;
  /** What to do about a fault. */
  readonly remedy: string;
}

/** What a check works with: tables of the store in a database of their own. */
export interface CheckScene {
  readonly connections: Connections;
  /** Whose the rows are. */
  readonly organizationId: OrganizationId;
  /** Of the first server, with the scratch database. */
  readonly url: string;
}

export interface Check {
  /** A statement that holds or does not. */
  readonly name: string;
  readonly remedy: string;
  /** @throws an error whose message says what was seen instead. */
  readonly run: (scene: CheckScene) => Promise<void>;
}
