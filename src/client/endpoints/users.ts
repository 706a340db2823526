/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { ErasureAnswer, UserItem, UserMetricsAnswer, UserMetricsQuery, UserOverviewAnswer, UserOverviewQuery, UserQuery } from '../types/users.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface UsersEndpoints {
  readonly 'POST /v1/user/query': {
    readonly body: UserQuery;
    readonly data: readonly UserItem[];
  };
  readonly 'POST /v1/user/metrics/query': {
    readonly body: UserMetricsQuery;
    readonly data: UserMetricsAnswer;
  };
  readonly 'POST /v1/user/metrics-overview/query': {
    readonly body: UserOverviewQuery;
    readonly data: UserOverviewAnswer;
  };
  readonly 'DELETE /v1/user/{id}': {
    readonly path: {
      /** The user, as `request_user_id` of the records has it, URL-encoded. */
      readonly id: string;
    };
    readonly data: ErasureAnswer;
  };
}
