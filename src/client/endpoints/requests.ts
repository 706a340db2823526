/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { AssetAnswer, BulkPropertyAnswer, BulkPropertyUpdate, Change, Done, Eval, Feedback, ImportAnswer, PropertyUpdate, RequestAnswer, RequestBodies, RequestCostAnswer, RequestCount, RequestIds, RequestQuery, ScoreUpdate } from '../types/requests.ts';
import type { RequestItem } from '../types/request-item.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface RequestsEndpoints {
  readonly 'POST /v1/request/query-clickhouse': {
    readonly body: RequestQuery;
    readonly data: readonly RequestItem[];
  };
  readonly 'POST /v1/request/query': {
    readonly body: RequestQuery;
    readonly data: readonly RequestItem[];
  };
  readonly 'POST /v1/request/count/query': {
    readonly body: RequestQuery;
    readonly data: RequestCount;
  };
  readonly 'POST /v1/request/query-ids': {
    readonly body: RequestIds;
    readonly data: readonly RequestItem[];
  };
  readonly 'POST /v1/request/property': {
    readonly body: BulkPropertyUpdate;
    readonly data: BulkPropertyAnswer;
  };
  readonly 'GET /v1/request/stream': {
    readonly query?: {
      /** A filter as URL-encoded JSON; without it every request. */
      readonly filter?: string | undefined;
      /** `true` adds both bodies of each request. */
      readonly includeBodies?: boolean | undefined;
      /** Goes on behind this position, the `id` of an event, as the header `Last-Event-ID` does, which takes precedence. */
      readonly cursor?: string | undefined;
    };
    readonly stream: string;
  };
  readonly 'GET /v1/request/{id}': {
    readonly path: {
      /** Identifier of the request, the value of the response header svc-id. */
      readonly id: string;
    };
    readonly query?: {
      /** `false` leaves both bodies out. */
      readonly includeBody?: boolean | undefined;
    };
    readonly data: RequestAnswer;
  };
  readonly 'PUT /v1/request/{id}/property': {
    readonly path: {
      /** Identifier of the request, the value of the response header svc-id. */
      readonly id: string;
    };
    readonly body: PropertyUpdate;
    readonly data: Done;
  };
  readonly 'POST /v1/request/{id}/score': {
    readonly path: {
      /** Identifier of the request, the value of the response header svc-id. */
      readonly id: string;
    };
    readonly body: ScoreUpdate;
    readonly data: Done;
  };
  readonly 'POST /v1/request/{id}/feedback': {
    readonly path: {
      /** Identifier of the request, the value of the response header svc-id. */
      readonly id: string;
    };
    readonly body: Feedback;
    readonly data: Done;
  };
  readonly 'GET /v1/request/{id}/changes': {
    readonly path: {
      /** Identifier of the request, the value of the response header svc-id. */
      readonly id: string;
    };
    readonly query?: {
      /** Entries of the page, at most 1000. */
      readonly limit?: number | undefined;
      /** First entry of the page, counted from 0. */
      readonly offset?: number | undefined;
    };
    readonly data: readonly Change[];
  };
  readonly 'GET /v1/request/{id}/cost': {
    readonly path: {
      /** Identifier of the request, the value of the response header svc-id. */
      readonly id: string;
    };
    readonly data: RequestCostAnswer;
  };
  readonly 'POST /v1/request/{id}/assets/{assetId}': {
    readonly path: {
      /** Identifier of the request, the value of the response header svc-id. */
      readonly id: string;
      /** Identifier from `asset_ids`. */
      readonly assetId: string;
    };
    readonly data: AssetAnswer;
  };
  readonly 'POST /v1/evals/{id}': {
    readonly path: {
      /** Identifier of the request, the value of the response header svc-id. */
      readonly id: string;
    };
    readonly body: Eval;
    readonly data: Done;
  };
  readonly 'POST /v1/import': {
    readonly query?: {
      /** `true`: checks the lines, says what would happen, and stores nothing. */
      readonly dryRun?: boolean | undefined;
    };
    readonly body: string;
    readonly data: ImportAnswer;
  };
  readonly 'GET /v1/request/{id}/body': {
    readonly path: {
      /** Identifier of the request, the value of the response header svc-id. */
      readonly id: string;
    };
    readonly query: {
      readonly organization: string;
      readonly expires: string;
      readonly signature: string;
    };
    readonly whole: RequestBodies;
  };
}
