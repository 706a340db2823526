/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { BoardAnswer, BoardSummary, ChangedBoard, NewBoard, NewView, ServiceHealthAnswer, View, ViewAnswer } from '../types/dashboard.ts';
import type { Done } from '../types/requests.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface DashboardEndpoints {
  readonly 'GET /v1/views': {
    readonly query?: {
      /** Only views of this page. */
      readonly page?: 'requests' | 'sessions' | 'explore' | undefined;
    };
    readonly data: readonly View[];
  };
  readonly 'POST /v1/views': {
    readonly body: NewView;
    readonly data: ViewAnswer;
  };
  readonly 'PUT /v1/views/{id}': {
    readonly path: {
      /** Identifier of the view, as the list shows it. */
      readonly id: string;
    };
    readonly body: NewView;
    readonly data: ViewAnswer;
  };
  readonly 'DELETE /v1/views/{id}': {
    readonly path: {
      /** Identifier of the view, as the list shows it. */
      readonly id: string;
    };
    readonly data: Done;
  };
  readonly 'GET /v1/boards': {
    readonly data: readonly BoardSummary[];
  };
  readonly 'POST /v1/boards': {
    readonly body: NewBoard;
    readonly data: BoardAnswer;
  };
  readonly 'GET /v1/boards/{id}': {
    readonly path: {
      /** Identifier of the board, as the list shows it. */
      readonly id: string;
    };
    readonly data: BoardAnswer;
  };
  readonly 'PUT /v1/boards/{id}': {
    readonly path: {
      /** Identifier of the board, as the list shows it. */
      readonly id: string;
    };
    readonly body: ChangedBoard;
    readonly data: BoardAnswer;
  };
  readonly 'DELETE /v1/boards/{id}': {
    readonly path: {
      /** Identifier of the board, as the list shows it. */
      readonly id: string;
    };
    readonly data: Done;
  };
  readonly 'GET /v1/health': {
    readonly data: ServiceHealthAnswer;
  };
}
