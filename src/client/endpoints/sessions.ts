/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Done, Feedback, PropertyUpdate } from '../types/requests.ts';
import type { SessionAnswer, SessionCount, SessionItem, SessionMetrics, SessionName, SessionNameQuery, SessionQuery, SessionTag, SessionTagAnswer } from '../types/sessions.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface SessionsEndpoints {
  readonly 'POST /v1/session/query': {
    readonly body: SessionQuery;
    readonly data: readonly SessionItem[];
  };
  readonly 'POST /v1/session/count': {
    readonly body: SessionQuery;
    readonly data: SessionCount;
  };
  readonly 'POST /v1/session/name/query': {
    readonly body: SessionNameQuery;
    readonly data: readonly SessionName[];
  };
  readonly 'POST /v1/session/metrics/query': {
    readonly body: SessionNameQuery;
    readonly data: SessionMetrics;
  };
  readonly 'GET /v1/session/{id}': {
    readonly path: {
      /** Identifier of the session, the value of Svc-Session-Id, URL-encoded. */
      readonly id: string;
    };
    readonly query?: {
      /** Requests of the answer, at most 1000. */
      readonly limit?: number | undefined;
      /** The response header `svc-next-cursor` of the answer before: the requests continue exactly behind it. */
      readonly cursor?: string | undefined;
      /** `true` adds both bodies of each request. */
      readonly includeBody?: boolean | undefined;
    };
    readonly data: SessionAnswer;
  };
  readonly 'POST /v1/session/{id}/tag': {
    readonly path: {
      /** Identifier of the session, the value of Svc-Session-Id, URL-encoded. */
      readonly id: string;
    };
    readonly body: SessionTag;
    readonly data: Done;
  };
  readonly 'GET /v1/session/{id}/tag': {
    readonly path: {
      /** Identifier of the session, the value of Svc-Session-Id, URL-encoded. */
      readonly id: string;
    };
    readonly data: SessionTagAnswer;
  };
  readonly 'POST /v1/session/{id}/feedback': {
    readonly path: {
      /** Identifier of the session, the value of Svc-Session-Id, URL-encoded. */
      readonly id: string;
    };
    readonly body: Feedback;
    readonly data: Done;
  };
  readonly 'PUT /v1/session/{id}/property': {
    readonly path: {
      /** Identifier of the session, the value of Svc-Session-Id, URL-encoded. */
      readonly id: string;
    };
    readonly body: PropertyUpdate;
    readonly data: Done;
  };
}
