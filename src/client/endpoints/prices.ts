/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Model, ModelRegistryAnswer, Prices, PricesAnswer, Reprice, RepriceAnswer } from '../types/prices.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface PricesEndpoints {
  readonly 'GET /v1/models': {
    readonly data: readonly Model[];
    readonly extras: {
      readonly object: 'list';
    };
  };
  readonly 'GET /v1/prices': {
    readonly data: PricesAnswer;
  };
  readonly 'PUT /v1/prices': {
    readonly body: Prices;
    readonly data: PricesAnswer;
  };
  readonly 'POST /v1/prices/apply': {
    readonly body: Reprice;
    readonly data: RepriceAnswer;
  };
  readonly 'GET /v1/public/model-registry/models': {
    readonly data: ModelRegistryAnswer;
  };
}
