import type { JsonObject } from '../../model/text.ts';

/** A request and its response as the API behind `path` has them, so that our readers of providers understand both. */
export interface Bodies {
  readonly path: string;
  readonly request: JsonObject;
  /** Of a call that succeeded. */
  readonly response: JsonObject;
}
