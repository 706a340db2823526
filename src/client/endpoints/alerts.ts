/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Alert, AlertAnswer, AlertDelivery, AlertGroupState, AlertHistoryRow, AlertIncident, AlertPreviewAnswer, AlertPreviewQuery, AlertTestAnswer, NewAlert, RuleSet, RuleSetAnswer } from '../types/alerts.ts';
import type { Done } from '../types/requests.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface AlertsEndpoints {
  readonly 'POST /v1/alerts/preview': {
    readonly body: AlertPreviewQuery;
    readonly data: AlertPreviewAnswer;
  };
  readonly 'POST /v1/alerts': {
    readonly body: NewAlert;
    readonly data: AlertAnswer;
  };
  readonly 'GET /v1/alerts': {
    readonly query?: {
      /** Rows of the page, at most 1000. */
      readonly limit?: number | undefined;
      /** First row of the page, counted from 0. */
      readonly offset?: number | undefined;
    };
    readonly data: readonly Alert[];
  };
  readonly 'GET /v1/alerts/{id}': {
    readonly path: {
      /** Identifier of the rule, as the list shows it. */
      readonly id: string;
    };
    readonly data: AlertAnswer;
  };
  readonly 'PUT /v1/alerts/{id}': {
    readonly path: {
      /** Identifier of the rule, as the list shows it. */
      readonly id: string;
    };
    readonly body: NewAlert;
    readonly data: AlertAnswer;
  };
  readonly 'DELETE /v1/alerts/{id}': {
    readonly path: {
      /** Identifier of the rule, as the list shows it. */
      readonly id: string;
    };
    readonly data: Done;
  };
  readonly 'GET /v1/alerts/{id}/states': {
    readonly path: {
      /** Identifier of the rule, as the list shows it. */
      readonly id: string;
    };
    readonly query?: {
      /** Rows of the page, at most 1000. */
      readonly limit?: number | undefined;
      /** First row of the page, counted from 0. */
      readonly offset?: number | undefined;
    };
    readonly data: readonly AlertGroupState[];
  };
  readonly 'GET /v1/alerts/{id}/incidents': {
    readonly path: {
      /** Identifier of the rule, as the list shows it. */
      readonly id: string;
    };
    readonly query?: {
      /** Rows of the page, at most 1000. */
      readonly limit?: number | undefined;
      /** First row of the page, counted from 0. */
      readonly offset?: number | undefined;
    };
    readonly data: readonly AlertIncident[];
  };
  readonly 'GET /v1/alerts/{id}/history': {
    readonly path: {
      /** Identifier of the rule, as the list shows it. */
      readonly id: string;
    };
    readonly query?: {
      /** Rows of the page, at most 1000. */
      readonly limit?: number | undefined;
      /** First row of the page, counted from 0. */
      readonly offset?: number | undefined;
    };
    readonly data: readonly AlertHistoryRow[];
  };
  readonly 'GET /v1/alerts/{id}/deliveries': {
    readonly path: {
      /** Identifier of the rule, as the list shows it. */
      readonly id: string;
    };
    readonly query?: {
      /** Rows of the page, at most 1000. */
      readonly limit?: number | undefined;
      /** First row of the page, counted from 0. */
      readonly offset?: number | undefined;
    };
    readonly data: readonly AlertDelivery[];
  };
  readonly 'POST /v1/alerts/{id}/test': {
    readonly path: {
      /** Identifier of the rule, as the list shows it. */
      readonly id: string;
    };
    readonly data: AlertTestAnswer;
  };
  readonly 'POST /v1/rules/apply': {
    readonly body: RuleSet;
    readonly data: RuleSetAnswer;
  };
}
